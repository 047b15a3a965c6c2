import type { Lane, Mutation } from './mutation.js';

const contract: Lane = { project: 'chain', files: ['plugins/evm/test/contracts/swap-entry.test.ts'] };
const engine: Lane = { project: 'unit', files: ['core/test/engine/executions.test.ts'] };
const attack: Lane = { project: 'sim', files: ['test/sim/attacks.test.ts'], test: 'foreignExecuting' };
const adapter: Lane = { project: 'chain', files: ['plugins/evm/test/own-swaps.test.ts'] };

/** Guards of what users execute by themselves. */
export const OWN_SWAP_MUTATIONS: readonly Mutation[] = [
  {
    name: 'own-swaps-are-measured',
    guard: 'whoever is to get something of a swap of a user has got it, or nothing happens',
    guarantees: ['G2'],
    file: 'plugins/evm/contracts/SwapEntry.sol',
    find: '        uint256 brought = _grown(before, _holds(order.tokenOut, recipient));\n        if (brought < order.least) revert',
    replace:
      '        uint256 brought = _grown(before, _holds(order.tokenOut, recipient));\n        if (brought > type(uint256).max / 2) revert',
    lanes: [contract],
  },
  {
    name: 'own-swaps-do-not-nest',
    guard: 'one delivery counts for one order, however orders are put into each other',
    guarantees: ['G3'],
    file: 'plugins/evm/contracts/SwapEntry.sol',
    find: 'if (entered) revert Reentered();',
    replace: 'if (entered && msg.sender == address(0)) revert Reentered();',
    lanes: [contract],
  },
  {
    name: 'executions-are-the-payers-own',
    guard: 'what a stranger executes under an order is no execution of it',
    guarantees: ['G3'],
    file: 'core/src/domain/own-swap.ts',
    find: 'seen.payer !== body.user || ',
    replace: '',
    lanes: [attack, engine],
  },
  {
    name: 'executions-pay-their-fee',
    guard: 'an execution without the quoted fee is none, so that nothing is owed to integrators that nobody paid',
    guarantees: ['G1'],
    file: 'core/src/domain/own-swap.ts',
    find: '(seen.feeTo === ownSwap.feeTo && seen.fee >= BigInt(ownSwap.fee))',
    replace: 'seen.fee >= 0n',
    lanes: [engine],
  },
  {
    name: 'executions-are-booked-when-final',
    guard: 'the fee of an execution is booked once, when no reorg takes it back',
    guarantees: ['G8'],
    file: 'core/src/engine/deposits/executions.ts',
    find: "  succeed(context, unit, row);\n  if (seen.state === 'final') finalise(context, unit, row);",
    replace: '  succeed(context, unit, row);\n  finalise(context, unit, row);',
    lanes: [engine],
  },
  {
    name: 'executions-vanish-with-their-block',
    guard: 'an execution that a reorg took is no success any more',
    guarantees: ['G8'],
    file: 'core/src/engine/deposits/executions.ts',
    find: 'for (const row of vanished) vanish(context, unit, row);',
    replace: '',
    lanes: [engine],
  },
  {
    name: 'executions-are-judged-in-each-block',
    guard: 'a fee is booked of what an execution came to in the block that has it, however it went in another one',
    guarantees: ['G1', 'G8'],
    file: 'core/src/engine/deposits/executions.ts',
    find: 'return seen.orderId === orderId && executes(JSON.parse(body) as QuoteBody, seen);',
    replace: 'return seen.orderId === orderId || executes(JSON.parse(body) as QuoteBody, seen);',
    lanes: [engine],
  },
  {
    name: 'executions-are-final-where-they-are',
    guard: 'no execution counts as final by a block that a reorg took it from',
    guarantees: ['G8'],
    file: 'core/src/engine/deposits/executions.ts',
    find: "decideAndCommit(context, 'engine.executions', () => work(context, chainId, batch, { ...part, repeated }));",
    replace:
      "decideAndCommit(context, 'engine.executions', () => work(context, chainId, batch, { ...part, repeated, finalise: true }));",
    lanes: [engine],
  },
  {
    name: 'hints-are-kept-by-request',
    guard: 'that somebody told of a transaction before keeps no client from telling what it is for',
    guarantees: ['G7'],
    file: 'core/src/api/routes/index-transaction.ts',
    find: 'requestId === undefined ? transaction :',
    replace: 'requestId !== undefined ? transaction :',
    lanes: [{ project: 'unit', files: ['core/test/api/status.test.ts'] }],
  },
  {
    name: 'reverts-are-the-payers-own',
    guard: 'a request fails only by a reverted transaction of its own payer that names its order',
    guarantees: ['G7'],
    file: 'core/src/engine/deposits/reverted.ts',
    find: 'body.orderId !== found.orderId || body.user !== found.payer',
    replace: 'found.orderId === null',
    lanes: [engine],
  },
  {
    name: 'reverts-are-final',
    guard: 'a request fails only by a reverted transaction in a final block',
    guarantees: ['G7'],
    file: 'core/src/engine/deposits/reverted.ts',
    find: 'if (!found.final) return false;',
    replace: '',
    lanes: [engine],
  },
  {
    name: 'own-orders-take-no-deposit',
    guard: 'nothing is filled for a deposit under an order that its payer executes',
    guarantees: ['G1'],
    file: 'core/src/domain/can-fund.ts',
    find: 'if (order.ownSwap) return false;',
    replace: '',
    lanes: [engine],
  },
  {
    name: 'reverts-went-to-the-entry',
    guard: 'a reverted transaction to anything else is no execution, whatever its calldata says',
    guarantees: ['G7'],
    file: 'plugins/evm/src/own-swaps/reverted.ts',
    find: ' || receipt.to?.toLowerCase() !== entry',
    replace: '',
    lanes: [adapter],
  },
];
