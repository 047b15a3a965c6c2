import type { Lane, Mutation } from './mutation.js';

const ROUTER = 'plugins/evm/contracts/FillRouter.sol';

const engine: Lane = { project: 'unit', files: ['core/test/engine/left-out.test.ts'] };

function contract(test: string): Lane {
  return { project: 'chain', files: ['plugins/evm/test/contracts/many.test.ts'], test };
}

/** Guards of fills that share a call of the router. */
export const BATCH_MUTATIONS: readonly Mutation[] = [
  {
    name: 'nothing-gets-in-between-shares',
    guard:
      'while several fills are made, every other way into the router is closed, so that what lies there is nobody’s',
    guarantees: ['G1', 'G12'],
    file: ROUTER,
    find: '        sharing = true;\n',
    replace: '',
    lanes: [contract('gets nothing where it')],
  },
  {
    name: 'shares-are-made-by-the-router',
    guard: 'one of several fills is made by the router alone, on the terms that its filler named',
    guarantees: ['G1', 'G12'],
    file: ROUTER,
    find: 'if (msg.sender != address(this)) revert NotFiller();',
    replace: 'if (msg.sender == address(0)) revert NotFiller();',
    lanes: [contract('of a share of its own')],
  },
  {
    name: 'shares-have-their-own-gas',
    guard: 'a recipient burns no more gas than its own fill was charged for',
    guarantees: ['G12'],
    file: ROUTER,
    find: 'let ok := call(most, address(), 0, told, 132, 0, 0)',
    replace: 'let ok := call(gas(), address(), 0, told, 132, 0, 0)',
    lanes: [contract('burn its own gas alone')],
  },
  {
    name: 'shares-get-the-gas-they-name',
    guard: 'no fill is left out for want of the gas that its sender did not give',
    guarantees: ['G7'],
    file: ROUTER,
    find: 'if lt(sub(used, shr(6, used)), add(most, CALL_GAS)) {',
    replace: 'if lt(used, CALL_GAS) {',
    lanes: [contract('may not give a fill the gas that it names')],
  },
  {
    name: 'left-out-is-not-filled',
    guard: 'a fill that its recipient refused is undone, so that its order is not filled',
    guarantees: ['G7'],
    file: ROUTER,
    find: 'if (!ok) revert RecipientReverted(address(uint160(to)), Calls.returned(Calls.MAX_REASON));',
    replace: 'if (!ok && to == 0) revert RecipientReverted(address(uint160(to)), Calls.returned(Calls.MAX_REASON));',
    lanes: [contract('leaves one that was left out to be filled later')],
  },
  {
    name: 'left-out-comes-back',
    guard: 'the value of a fill that is left out goes back to its filler at once',
    guarantees: ['G12'],
    file: ROUTER,
    find: 'back := add(back, value)',
    replace: '',
    lanes: [contract('leaves one that was left out to be filled later')],
  },
  {
    name: 'shares-are-paid-for-exactly',
    guard: 'several fills take what was sent along for them, and nothing that lies in the router',
    guarantees: ['G12'],
    file: ROUTER,
    find: 'if (msg.value != due) revert WrongValue(due, msg.value);',
    replace: 'if (msg.value > due) revert WrongValue(due, msg.value);',
    lanes: [contract('forced into it')],
  },
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
