import type { Lane, Mutation } from './mutation.js';

const back: Lane = { project: 'unit', files: ['core/test/engine/swapped-back.test.ts'] };
const remade: Lane = { project: 'unit', files: ['core/test/engine/remade.test.ts'] };
const decisions: Lane = { project: 'unit', files: ['core/test/domain/decide.test.ts'] };
const entry: Lane = { project: 'chain', files: ['plugins/evm/test/contracts/swap-entry.test.ts'] };

/** Guards of swaps within deposits, and of refunds that are swapped back. */
export const SWAP_IN_MUTATIONS: readonly Mutation[] = [
  {
    name: 'quotes-are-no-offer-of-any-amount',
    guard: 'what a swap on the way in brings far above its quote is paid back',
    guarantees: ['G2'],
    file: 'core/src/domain/decide.ts',
    find: 'const used = deposit.amount < most ? deposit.amount : most;',
    replace: 'const used = deposit.amount < most ? most : deposit.amount;',
    lanes: [decisions],
  },
  {
    name: 'swaps-made-anew-pay-for-nothing',
    guard: 'what a reorg changed the amount of is paid for, and paid back, by what arrived',
    guarantees: ['G2', 'G8'],
    file: 'core/src/engine/deposits/follow-deposit.ts',
    find: 'const isChanged = isAnother(before, seen) || seen.amount !== before.amount;',
    replace: 'const isChanged = isAnother(before, seen) || seen.amount < 0n;',
    lanes: [remade],
  },
  {
    name: 'other-transfers-are-not-followed',
    guard: 'what came back in another currency, or for another order, is paid for by nobody',
    guarantees: ['G2', 'G4'],
    file: 'core/src/engine/deposits/changed-deposit.ts',
    find: 'return currency !== before.currency || chainId !== before.chainId || orderId !== before.orderId;',
    replace: 'return chainId !== before.chainId && currency !== before.currency && orderId !== before.orderId;',
    lanes: [remade],
  },
  {
    name: 'what-is-out-stays-of-the-first-amount',
    guard: 'what was signed on the strength of an amount is not decided on anew by another one',
    guarantees: ['G1', 'G3'],
    file: 'core/src/engine/deposits/remake-deposit.ts',
    find: "|| before.decision === 'hold' || !legs.every(isUntouched)) return undefined;",
    replace: "|| before.decision === 'hold') return undefined;",
    lanes: [remade],
  },
  {
    name: 'first-amounts-leave-the-books',
    guard: 'a deposit with another amount is booked as what arrived, and as nothing else',
    guarantees: ['G10'],
    file: 'core/src/engine/deposits/remake-deposit.ts',
    find: "if (before.state !== 'vanished') vanishDeposit(context, unit, fundingKey);",
    replace: "if (before.state === 'mempool') vanishDeposit(context, unit, fundingKey);",
    lanes: [remade],
  },
  {
    name: 'first-decisions-are-void',
    guard: 'what was owed for the first amount is owed no more',
    guarantees: ['G3'],
    file: 'core/src/engine/deposits/remake-deposit.ts',
    find: "if (leg.state !== 'suspended') continue;",
    replace: "if (leg.state === 'suspended') continue;",
    lanes: [remade],
  },
  {
    name: 'exchanges-are-tried-once',
    guard: 'a refund whose exchange failed on the chain is paid as it was deposited',
    guarantees: ['G3'],
    file: 'core/src/engine/books/swap-back.ts',
    find: 'if (leg.reverts > 0 || leg.closings > 0 || leg.spent > 0n) return undefined;',
    replace: 'if (leg.reverts < 0) return undefined;',
    lanes: [back],
  },
  {
    name: 'exchanges-lose-no-more-than-allowed',
    guard: 'a refund is not exchanged for far less than its worth',
    guarantees: ['G3'],
    file: 'core/src/engine/payouts/exchange-back.ts',
    find: 'if (lost > policy.swaps.mostImpactBps)',
    replace: 'if (lost > policy.swaps.mostImpactBps + 100_000)',
    lanes: [back],
  },
  {
    name: 'only-what-was-swapped-is-swapped-back',
    guard: 'a refund is exchanged only for what its payer is known to have paid with',
    guarantees: ['G3'],
    file: 'core/src/engine/books/swap-back.ts',
    find: 'if (paid.currency !== swapIn.side.currency) return undefined;',
    replace: "if (paid.currency === '') return undefined;",
    lanes: [back],
  },
  {
    name: 'exchanged-refunds-are-measured',
    guard: 'a refund with an exchange brings its recipient what was signed for, or nothing happens',
    guarantees: ['G3'],
    file: 'plugins/evm/contracts/SwapEntry.sol',
    find: `        uint256 brought = _grown(before, _holds(order.tokenOut, order.recipient));
        if (brought < order.least) revert`,
    replace: `        uint256 brought = _grown(before, _holds(order.tokenOut, order.recipient));
        if (brought > type(uint256).max / 2) revert`,
    lanes: [entry],
  },
  {
    name: 'refunds-are-signed-for-who-sends-them',
    guard: 'the signature of a refund with an exchange is of use to its sender alone',
    guarantees: ['G12'],
    file: 'plugins/evm/contracts/SwapEntry.sol',
    find: 'return keccak256(abi.encode(submitter, key, tokenOut, least));',
    replace: 'return keccak256(abi.encode(submitter == address(0), key, tokenOut, least));',
    lanes: [entry],
  },
  {
    name: 'changed-deposits-are-told-for-good',
    guard: 'an operator learns of a deposit that changed after something was signed for it, also after a restart',
    guarantees: ['G2'],
    file: 'core/src/engine/deposits/changed-deposit.ts',
    find: 'if (hold === undefined) {',
    replace: 'if (hold === undefined && amount < 0n) {',
    lanes: [remade],
  },
];
