import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/errors/api-error.js';
import type { QuoteAsk } from '../../src/quoting/ask.js';
import type { Quoter } from '../../src/quoting/quoter.js';
import { address, OTHER_TOKEN } from '../api/support/chain-double.js';
import { ask, POLICY } from '../api/support/running-api.js';
import { quoted, quoterWith } from './support/quoter-with.js';

/** Limit: three unpaid quotes of a two-asset pair. */
const policy = { ...POLICY, mostUnpaidQuotes: 3 };
const PAIR = { destinationCurrency: OTHER_TOKEN };
let now: number;
let paid: Set<string>;
let quoter: Quoter;

beforeEach(() => {
  now = 1_700_000_000_000;
  paid = new Set();
  quoter = quoterWith({
    policy,
    clock: { now: () => now, monotonic: () => now, sleep: async () => undefined, every: () => () => undefined },
    store: {
      unpaidQuotes: async () => 0,
      ordersByPrefix: async () => [],
      apply: async () => ({ ok: true }),
      requests: async (ids) => ids.filter((id) => paid.has(id)).map((id) => ({ id }) as never),
    },
  });
});

async function take(change: object = {}, party?: string): Promise<string> {
  const answer = await quoted(quoter, { ...PAIR, ...change }, party);
  if (answer instanceof ApiError) return answer.code;
  return answer.steps[0]?.requestId ?? '';
}

describe('quotes that a payer leaves unpaid', () => {
  it('are bounded per payer and pair', async () => {
    for (let n = 0; n < 3; n += 1) expect(await take()).toMatch(/^0x/);
    expect(await take()).toBe('RATE_LIMITED');
    expect(await take({ user: address('7') })).toMatch(/^0x/);
    expect(
      await take({ originCurrency: OTHER_TOKEN, destinationCurrency: address('a'), amount: '1'.padEnd(21, '0') }),
    ).toMatch(/^0x/);
  });

  it('are not counted for anyone who did not ask, though anyone may name any address', async () => {
    for (let n = 0; n < 3; n += 1) expect(await take({}, 'ip:stranger')).toMatch(/^0x/);
    expect(await take({}, 'ip:stranger')).toBe('RATE_LIMITED');
    expect(await take({}, 'key:payer')).toMatch(/^0x/);
  });

  it('are counted for the networks around a caller, too, which have more of them', async () => {
    const from = (n: number) =>
      quoter.quote(ask(PAIR) as unknown as QuoteAsk, {
        ...{ keyId: null, party: `ip:${n}`, granted: [] },
        crowds: [{ party: 'ip:wide', times: 4 }],
      });
    for (let n = 0; n < 12; n += 1) expect(await from(n)).not.toBeInstanceOf(ApiError);
    expect(await from(99)).toMatchObject({ code: 'RATE_LIMITED' });
    expect(await take({}, 'ip:elsewhere')).toMatch(/^0x/);
  });

  it('are forgotten once they are paid, or not valid any more', async () => {
    const ids = [await take(), await take(), await take()];
    paid.add(ids[1] ?? '');
    expect(await take()).toMatch(/^0x/);
    expect(await take()).toBe('RATE_LIMITED');
    now += 30_001;
    for (let n = 0; n < 3; n += 1) expect(await take()).toMatch(/^0x/);
    expect(await take()).toBe('RATE_LIMITED');
  });

  it('are no option within a group, and not counted', async () => {
    for (let n = 0; n < 5; n += 1) expect(await take({ destinationCurrency: address('a') })).toMatch(/^0x/);
  });

  it('leave prices to be asked for freely', async () => {
    for (let n = 0; n < 3; n += 1) await take();
    const priced = await quoter.price(ask(PAIR) as unknown as QuoteAsk, { keyId: null, party: 'anybody', granted: [] });
    expect(priced).not.toBeInstanceOf(ApiError);
  });
});
