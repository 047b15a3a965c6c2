import type { Lane, Mutation } from './mutation.js';

const BOARD: Lane = { project: 'unit', files: ['core/test/prices/price-board.test.ts'] };
const JUMPS: Lane = { project: 'unit', files: ['core/test/prices/jump-guard.test.ts'] };
const HTTP: Lane = { project: 'chain', files: ['plugins/prices-http/test/feed.test.ts'] };
const ROUNDS: Lane = { project: 'chain', files: ['plugins/evm/test/feeds/judge-round.test.ts'] };
const FEEDS: Lane = { project: 'chain', files: ['plugins/evm/test/feeds/chain-feeds.test.ts'] };

/** Guards of the prices: what is promised to a user is bounded by what it is thought to be worth. */
export const PRICE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'price-outliers',
    guard: 'a provider far from the others moves no price',
    guarantees: ['G12'],
    file: 'core/src/prices/agree.ts',
    find: 'const used = told.filter(({ price }) => isWithin(price, centre, outlierBps));',
    replace: 'const used = told;',
    lanes: [BOARD],
  },
  {
    name: 'price-doubt',
    guard: 'a price in doubt is not bridged by an older one',
    guarantees: ['G12'],
    file: 'core/src/prices/price-board.ts',
    find: `    entry.accepted = undefined;
    const fresh`,
    replace: '    const fresh',
    lanes: [BOARD],
  },
  {
    name: 'price-ends-by-the-wall',
    guard: 'a price ends with its time even when the machine slept',
    guarantees: ['G12'],
    file: 'core/src/prices/word.ts',
    find: 'clock.now() <= word.endsAt && ',
    replace: '',
    lanes: [BOARD],
  },
  {
    name: 'price-ends-by-its-age',
    guard: 'a wall clock that goes back makes no price younger',
    guarantees: ['G12'],
    file: 'core/src/prices/word.ts',
    find: ' && clock.monotonic() <= word.endsMonotonic',
    replace: '',
    lanes: [BOARD],
  },
  {
    name: 'price-jump-told-again',
    guard: 'one wrong word that is merely kept never becomes the price',
    guarantees: ['G12'],
    file: 'core/src/prices/jump-guard.ts',
    find: 'heard - held.since >= rules.jumpHoldMs',
    replace: 'true',
    lanes: [JUMPS],
  },
  {
    name: 'price-redirects',
    guard: 'keys of a price provider stay with their host',
    guarantees: ['G12'],
    file: 'plugins/prices-http/src/http/fetch-text.ts',
    find: "redirect: 'manual'",
    replace: "redirect: 'follow'",
    lanes: [HTTP],
  },
  {
    name: 'price-answer-size',
    guard: 'an answer without end is not read to it',
    guarantees: ['G12'],
    file: 'plugins/prices-http/src/http/fetch-text.ts',
    find: 'if (size > maxBytes)',
    replace: 'if (size < 0)',
    lanes: [HTTP],
  },
  {
    name: 'feed-heartbeat',
    guard: 'a round that its operators abandoned is no price',
    guarantees: ['G12'],
    file: 'plugins/evm/src/feeds/judge-round.ts',
    find: 'if (heartbeatUntil < now) return',
    replace: 'if (heartbeatUntil < 0) return',
    lanes: [ROUNDS],
  },
  {
    name: 'feed-sequencer',
    guard: 'feeds of a rollup whose sequencer is down are not believed',
    guarantees: ['G12'],
    file: 'plugins/evm/src/feeds/chain-feeds.ts',
    find: 'if (word.ok && down === undefined)',
    replace: 'if (word.ok)',
    lanes: [FEEDS],
  },
  {
    name: 'feed-providers',
    guard: 'a feed is told alike by as many RPC providers as asked for',
    guarantees: ['G12'],
    file: 'plugins/evm/src/feeds/chain-feeds.ts',
    find: 'agree(prices, told.length, this.#config.outlierBps)',
    replace: 'agree(prices, 1, 10_000n)',
    lanes: [FEEDS],
  },
];
