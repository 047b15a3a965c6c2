// Powers that no real chain gives: minting, blocks on demand, pruning.

import { Address, Cell } from '@ton/core';

/** @param {import('./chain.mjs').LocalChain} chain */
export function controls(chain) {
  const state = {
    paused: false,
    /** Answered requests without a key per second; 0: all. */
    perSecond: 0,
    /** Retry-After of a refused request, seconds; 0: none. */
    retryAfterS: 0,
    asked: {},
    refused: 0,
    methods: {
      faucet: ({ address, amount }) => chain.give(Address.parse(address), BigInt(amount)),
      mine: async ({ blocks = 1 }) => {
        for (let n = 0; n < blocks; n += 1) await chain.mine();
        return { head: chain.head.height };
      },
      settle: async () => {
        await chain.settle();
        return { head: chain.head.height };
      },
      pause: () => {
        state.paused = true;
      },
      resume: () => {
        state.paused = false;
      },
      time: ({ to }) => chain.advanceTo(Number(to)),
      prune: ({ below }) => {
        chain.prunedBelow = Number(below);
      },
      split: () => chain.split(),
      late: ({ blocks }) => {
        chain.late = Number(blocks);
      },
      limit: ({ perSecond, retryAfterS = 0 }) => {
        state.perSecond = Number(perSecond);
        state.retryAfterS = Number(retryAfterS);
      },
      asked: () => {
        const { asked, refused } = state;
        state.asked = {};
        state.refused = 0;
        return { asked, refused };
      },
      forge: ({ source, destination, amount, body, bounce = true }) =>
        chain.forge(
          ...[Address.parse(source), Address.parse(destination), BigInt(amount)],
          ...[body === undefined ? new Cell() : Cell.fromBase64(body), bounce],
        ),
      set: ({ address, code, data, amount }) =>
        chain.set(Address.parse(address), {
          ...{ code: Cell.fromBase64(code), data: Cell.fromBase64(data), balance: BigInt(amount) },
        }),
      head: () => ({
        ...{ height: chain.head.height, id: chain.head.id.toString('hex'), timestamp: chain.head.utime * 1000 },
        ...{ waiting: chain.waiting, zeroState: chain.zeroState.toString('hex') },
      }),
    },
  };
  return state;
}
