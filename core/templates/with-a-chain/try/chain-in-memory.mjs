// An in-memory chain, because a service needs at least one. For `npm run doctor` only: it exists in this process alone.
import { definePlugin } from '@causeway/core';
import { fakeChain, SeededRandom } from '@causeway/core/testing';

export const plugin = definePlugin({
  id: 'chain-in-memory',
  coreRange: '*',
  options: { type: 'object', additionalProperties: false },
  register({ chains, clock, random }) {
    const native = { symbol: 'COIN', decimals: 18, group: 'coin' };
    const world = fakeChain({ id: 7, clock, random: new SeededRandom('try'), native, tokens: [] });
    chains.add(world.adapter({ clock, random, signal: new AbortController().signal }));
  },
});
