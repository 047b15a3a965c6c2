// What nobody can do to a real chain: coins out of nothing, blocks on demand, the past thrown away.

import { Address, Cell } from '@ton/core';

/** @param {import('./chain.mjs').LocalChain} chain */
export function controls(chain) {
  const state = {
    paused: false,
    /** Requests without a key that are answered in a second; 0: all. */
    perSecond: 0,
    /** What a refused one is told to wait, seconds; 0: nothing. */
    retryAfterS: 0,
    /** Requests without a key since somebody asked: by their methods, and how many of them were refused. */
    asked: {},
    refused: 0,
    methods: {
      /** Nanotons to an account, in the next block. */
      faucet: ({ address, amount }) => chain.give(Address.parse(address), BigInt(amount)),
      /** So many blocks. */
      mine: async ({ blocks = 1 }) => {
        for (let n = 0; n < blocks; n += 1) await chain.mine();
        return { head: chain.head.height };
      },
      /** Blocks until no message is on its way; one at least. */
      settle: async () => {
        await chain.settle();
        return { head: chain.head.height };
      },
      /** The timer makes no blocks until `resume`. */
      pause: () => {
        state.paused = true;
      },
      resume: () => {
        state.paused = false;
      },
      /** The next block is at this time or later, Unix milliseconds. */
      time: ({ to }) => chain.advanceTo(Number(to)),
      /** No provider tells of transactions below this height any more; of states as before. */
      prune: ({ below }) => {
        chain.prunedBelow = Number(below);
      },
      /** What accounts send from now on arrives so many blocks later than in the next one. */
      late: ({ blocks }) => {
        chain.late = Number(blocks);
      },
      /** As the public service without a key. */
      limit: ({ perSecond, retryAfterS = 0 }) => {
        state.perSecond = Number(perSecond);
        state.retryAfterS = Number(retryAfterS);
      },
      /** What was asked without a key since this was asked last. */
      asked: () => {
        const { asked, refused } = state;
        state.asked = {};
        state.refused = 0;
        return { asked, refused };
      },
      /** A message in the name of any account, which is not asked: what a stranger's code could send. */
      forge: ({ source, destination, amount, body, bounce = true }) =>
        chain.forge(
          ...[Address.parse(source), Address.parse(destination), BigInt(amount)],
          ...[body === undefined ? new Cell() : Cell.fromBase64(body), bounce],
        ),
      /** Code and data of an account, as if it had been so for ever. */
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
