import type { Lane, Mutation } from './mutation.js';

const CLAIMED: Lane = { project: 'unit', files: ['core/test/engine/claim-hold.test.ts'] };
const REFUSED: Lane = { project: 'unit', files: ['core/test/engine/claim-refused.test.ts'] };
const OPERATED: Lane = { project: 'unit', files: ['core/test/engine/operator.test.ts'] };

/** Guards of what depositors may release by a signature. */
export const CLAIM_MUTATIONS: readonly Mutation[] = [
  {
    name: 'claims-are-signed',
    guard: 'a hold is claimed by nobody but whoever holds the key of its depositor',
    guarantees: ['G3'],
    file: 'core/src/engine/operator/claim-hold.ts',
    find: 'messageOf(context, hold, recipient), signature) !== true) {',
    replace: 'messageOf(context, hold, recipient), signature) === undefined) {',
    lanes: [CLAIMED],
  },
  {
    name: 'claims-name-the-service',
    guard: 'what was signed for one service is worth nothing at another',
    guarantees: ['G3'],
    file: 'core/src/domain/claim-message.ts',
    find: '    `Service: ${word(service)}`,\n',
    replace: '',
    lanes: [CLAIMED],
  },
  {
    name: 'claims-of-own-money',
    guard: 'a hold is claimed only where the chain proves that all of it was the money of its depositor',
    guarantees: ['G3'],
    file: 'core/src/engine/operator/claim-hold.ts',
    find: "if (own === 'no') {",
    replace: 'if (own === undefined) {',
    lanes: [CLAIMED],
  },
  {
    name: 'claims-for-want-of-proof',
    guard: 'nothing is claimed that was held because it may have been paid, or for any other reason',
    guarantees: ['G3'],
    file: 'core/src/engine/payouts/proof-of-payer.ts',
    find: "(reason === 'unproven' || reason === 'custodian')",
    replace: 'reason !== undefined',
    lanes: [REFUSED],
  },
  {
    name: 'released-to-a-proven-payer',
    guard: 'an operator who names nobody has nothing paid to a payer that nothing proves',
    guarantees: ['G3'],
    file: 'core/src/engine/operator/release-hold.ts',
    find: "wantsProof(held) || payerOf(context, chain, held, request, deposit) !== 'named'",
    replace: 'wantsProof(held) && request !== undefined',
    lanes: [OPERATED],
  },
  {
    name: 'claims-of-what-was-never-sent',
    guard: 'nothing is claimed that something was signed for before its payer was in doubt',
    guarantees: ['G3'],
    file: 'core/src/engine/payouts/proof-of-payer.ts',
    find: 'return signedFor ? undefined : payer;',
    replace: 'return payer;',
    lanes: [REFUSED],
  },
  {
    name: 'claims-are-doubted',
    guard: 'a signature does not outweigh what cannot be known of a ledger that lost sends',
    guarantees: ['G3', 'G15'],
    file: 'core/src/engine/operator/claim-hold.ts',
    find: ".about(leg, request, deposit) === 'hold') {",
    replace: ".about(leg, request, deposit) === 'idle') {",
    lanes: [REFUSED],
  },
  {
    name: 'claimed-legs-are-doubted',
    guard: 'what a depositor claimed is judged as everything else is before it is paid',
    guarantees: ['G3', 'G15'],
    file: 'core/src/engine/base/leg-marks.ts',
    find: "return releasedBy === 'operator';",
    replace: 'return releasedBy !== null;',
    lanes: [CLAIMED],
  },
];
