import type { Lane, Mutation } from './mutation.js';

const engine: Lane = { project: 'unit', files: ['core/test/engine/left-out.test.ts'] };

/** Guards of fills that share a call of the router. */
export const BATCH_MUTATIONS: readonly Mutation[] = [
  {
    name: 'left-out-when-final',
    guard: 'a fill that its transaction left out is paid back only once no reorg can have it filled after all',
    guarantees: ['G1', 'G3', 'G7'],
    file: 'core/src/engine/keys/track.ts',
    find: 'if (action.evidence.final) finishKey(',
    replace: 'if (action.evidence.final || action.evidence.effects.some((one) => one.returned)) finishKey(',
    lanes: [engine],
  },
  {
    name: 'left-out-for-its-own-reason',
    guard: 'a fill that was left out because its order is filled is not paid back',
    guarantees: ['G1', 'G3'],
    file: 'core/src/domain/leg-failure.ts',
    find: 'return own ?? (shared ? undefined : spent.failure);',
    replace: 'return shared ? undefined : (spent.failure ?? own);',
    lanes: [engine],
  },
  {
    name: 'left-out-pays-for-itself',
    guard: 'what a fill that was left out burned is taken off its own refund',
    guarantees: ['G10'],
    file: 'core/src/engine/keys/close-key.ts',
    find: 'const part = returned.get(leg.id)?.fee ?? divide(',
    replace: 'const part = divide(',
    lanes: [engine],
  },
  {
    name: 'only-what-was-tried-together',
    guard: 'fills share a transaction only as they were tried',
    guarantees: ['G12'],
    file: 'core/src/engine/payouts/sign-legs.ts',
    find: 'const fits = chain.checkTogether ? one.together !== undefined && first?.together === one.together : true;',
    replace: 'const fits = true;',
    lanes: [engine],
  },
  {
    name: 'doubtful-fills-share-nothing',
    guard:
      'a fill that a lost part of the ledger may have made is not tried beside others, which asks nobody whether it is done',
    guarantees: ['G1', 'G15'],
    file: 'core/src/engine/payouts/ask-chain.ts',
    find: 'return factsOf(leg).delivers && doubt === null && !maybeDone && !maybePaid && !failed;',
    replace: 'return factsOf(leg).delivers && !failed;',
    lanes: [{ project: 'unit', files: ['core/test/engine/restored.test.ts'], test: 'beside others either' }],
  },
];
