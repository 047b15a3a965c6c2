import type { Mutation } from './mutation.js';

const lanes: Mutation['lanes'] = [{ project: 'unit', files: ['core/test/engine/vault-lane.test.ts'] }];

/** Guards of lanes whose signer is the account that holds what is deposited. */
export const VAULT_LANE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'vault-lanes-hold-no-inventory',
    guard: 'what a depository holds is in the books once, and not as inventory of its lane, too',
    guarantees: ['G12'],
    file: 'core/src/engine/recovery/open-lanes.ts',
    find: 'if (!isVault(chain, signer)) await openInventory(context, chain, signer);',
    replace: 'await openInventory(context, chain, signer);',
    lanes,
  },
  {
    name: 'vault-lanes-are-resumed-without-inventory',
    guard: 'a lane of a depository that is resumed books none of what that holds as a gift',
    guarantees: ['G12', 'G15'],
    file: 'core/src/engine/recovery/match-lane.ts',
    find: 'for (const currency of isVault(chain, signer) ? [] : currenciesOf(chain)) {',
    replace: 'for (const currency of currenciesOf(chain)) {',
    lanes,
  },
  {
    name: 'vault-lanes-spend-only-what-is-their-own',
    guard: 'no fee is paid out of what deposits in the account of the signer are owed',
    guarantees: ['G2', 'G12'],
    file: 'core/src/engine/payouts/sign-legs.ts',
    find: 'if (!made.ok || own === undefined || ownOf(chain, made.signed) <= own) return made;',
    replace: 'if (!made.ok || own === undefined || ownOf(chain, made.signed) <= own + 10n ** 30n) return made;',
    lanes,
  },
  {
    name: 'vault-lanes-count-what-is-on-its-way',
    guard: 'what signed transactions take of a depository is not spent a second time on fees',
    guarantees: ['G12'],
    file: 'core/src/engine/books/own-in-depository.ts',
    find: 'return held - owed - leaving;',
    replace: 'return held - owed - (leaving > 0n ? 0n : leaving);',
    lanes,
  },
  {
    name: 'collects-leave-the-fee-that-their-pot-pays',
    guard: 'a collect of native coin leaves its own fee to the depository that pays it',
    guarantees: ['G2', 'G12'],
    file: 'core/src/engine/pots/collect.ts',
    find: 'const left = amount - leftForFee(chain, signer, currency);',
    replace: 'const left = amount - leftForFee(chain, signer, currency) * 0n;',
    lanes,
  },
  {
    name: 'collects-come-to-the-lane-that-fills',
    guard: 'what another lane collects is booked to the lane that it came to',
    guarantees: ['G12'],
    file: 'core/src/engine/books/settled-leg.ts',
    find: "return factsOf(leg).sentAs === 'collect' ? leg.recipient : leg.signer;",
    replace: 'return leg.signer;',
    lanes,
  },
  {
    name: 'collects-of-another-lane-are-no-gift',
    guard: 'a surplus is booked only while no lane of its chain has anything on its way',
    guarantees: ['G12'],
    file: 'core/src/engine/pots/inflows.ts',
    find: '    for (const { signer } of lanes) {',
    replace: '    for (const { signer } of lanes.slice(0, 1)) {',
    lanes,
  },
  {
    name: 'lanes-wait-for-what-others-collect-for-them',
    guard: 'a lane is not resumed with a balance that has a collect which the books do not have yet',
    guarantees: ['G12', 'G15'],
    file: 'core/src/engine/recovery/match-lane.ts',
    find: 'return leg.signer !== signer && arrivesAt(leg) === signer;',
    replace: 'return leg.signer === signer && arrivesAt(leg) === signer;',
    lanes,
  },
];
