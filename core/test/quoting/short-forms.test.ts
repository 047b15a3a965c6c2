import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Hex } from '../../src/contract/index.js';
import type { QuoteAsk } from '../../src/quoting/ask.js';
import type { QuotingDeps } from '../../src/quoting/quoting-deps.js';
import { ask } from '../api/support/running-api.js';
import { alpha, beta, quoted, quoterWith } from './support/quoter-with.js';

const BYTES = 20;
const DIGITS = 2 + 2 * BYTES;

/** Store questions in order. */
let reported: string[];
let asked: Hex[];
/** Taken forms before a free one. */
let taken: number;

const store: QuotingDeps['store'] = {
  unpaidQuotes: async () => 0,
  requests: async () => [],
  ordersByPrefix: async (prefixes) => {
    reported.push('looked up');
    asked.push(...prefixes);
    taken -= 1;
    return taken >= 0 ? prefixes.map((prefix) => `${prefix}${'0'.repeat(24)}` as Hex) : [];
  },
  apply: async () => {
    reported.push('durable');
    return { ok: true };
  },
};

beforeEach(() => {
  [reported, asked, taken] = [[], [], 0];
});

afterEach(() => {
  alpha.reset();
  beta.reset();
});

/** Chains with 20-byte order ids. */
function quoterShortOn(...ids: readonly number[]) {
  const chains = new Map(
    [alpha, beta].map(({ adapter }, n) => {
      const id = n + 1;
      const facts = ids.includes(id) ? { ...adapter.facts, orderIdBytes: BYTES } : adapter.facts;
      return [id, { ...adapter, facts }];
    }),
  );
  return quoterWith({ store, chains });
}

const orderOf = async (quoter: ReturnType<typeof quoterWith>): Promise<string> => {
  const answer = await quoted(quoter, { includeProtocolData: true });
  if (answer instanceof Error) throw answer;
  return answer.protocol?.v2.orderId ?? '';
};

it('looks the form of an order up before it is durable, by what a deposit of the origin will carry', async () => {
  const orderId = await orderOf(quoterShortOn(1));
  expect(reported).toEqual(['looked up', 'durable']);
  expect(asked).toEqual([orderId.slice(0, DIGITS)]);
  expect(orderId).toHaveLength(66);
});

it('draws another salt where it is taken, and promises the order that is free', async () => {
  taken = 2;
  const orderId = await orderOf(quoterShortOn(1));
  expect(reported).toEqual(['looked up', 'looked up', 'looked up', 'durable']);
  expect(new Set(asked).size).toBe(3);
  expect(asked.at(-1)).toBe(orderId.slice(0, DIGITS));
});

it('refuses after three of them, for now, and promises nothing', async () => {
  taken = 3;
  const answer = await quoted(quoterShortOn(1));
  expect(answer).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  expect(reported).toEqual(['looked up', 'looked up', 'looked up']);
});

it('looks nothing up where deposits of the origin carry whole ids, nor for a price', async () => {
  await orderOf(quoterShortOn(2));
  expect(reported).toEqual(['durable']);
  const price = await quoterShortOn(1).price(ask({}) as unknown as QuoteAsk, { keyId: null, party: 'x', granted: [] });
  expect(price).not.toBeInstanceOf(Error);
  expect(reported).toEqual(['durable']);
});
