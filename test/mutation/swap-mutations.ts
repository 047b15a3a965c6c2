import type { Lane, Mutation } from './mutation.js';

const chain = (file: string): Lane => ({ project: 'chain', files: [`plugins/evm/test/${file}.test.ts`] });

/** Guards of swaps. */
export const SWAP_MUTATIONS: readonly Mutation[] = [
  {
    name: 'swaps-are-measured',
    guard: 'a fill with a swap brings its recipient what is wanted, or nothing happens',
    guarantees: ['G2'],
    file: 'plugins/evm/contracts/FillRouter.sol',
    find: 'if (delivered < wanted.least) revert BroughtShort(',
    replace: 'if (delivered < wanted.least && delivered > type(uint256).max / 2) revert BroughtShort(',
    lanes: [chain('contracts/swaps')],
  },
  {
    name: 'swaps-end-at-the-least',
    guard: 'the venue itself gives no less than was said to be the least',
    guarantees: ['G2'],
    file: 'plugins/evm/src/swaps/pair-router.ts',
    find: 'const { limit } = parties;',
    replace: "const limit = wish.kind === 'exactInput' ? 0n : parties.limit;",
    lanes: [chain('swaps/quotes')],
  },
  {
    name: 'approvals-end-at-zero',
    guard: 'no approval of a venue is left behind by a swap that took less',
    guarantees: ['G12'],
    file: 'plugins/evm/src/swaps/approved.ts',
    find: "return kind === 'exactInput' ? [approve(most), swap] : [approve(most), swap, approve(0n)];",
    replace: 'return [approve(most), swap];',
    lanes: [chain('swaps/quotes')],
  },
  {
    name: 'pools-follow-the-chain',
    guard: 'pools that a reorg took back are not quoted from',
    guarantees: ['G8'],
    file: 'plugins/evm/src/swaps/pool-feed.ts',
    find: "if (!follows && block?.hash !== last.id) return 'all';",
    replace: "if (!follows && block === null) return 'all';",
    lanes: [chain('swaps/quotes')],
  },
];
