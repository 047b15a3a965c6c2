import { afterEach, expect, it } from 'vitest';
import type { QuoteBody } from '../../src/domain/quote.js';
import { systemRandom } from '../../src/host/system-random.js';
import type { QuoteAnswer } from '../../src/quoting/answer.js';
import type { QuoteAsk } from '../../src/quoting/ask.js';
import { createQuoter, type Quoter } from '../../src/quoting/quoter.js';
import type { QuotingDeps } from '../../src/quoting/quoting-deps.js';
import { createUserBalances } from '../../src/quoting/user-balances.js';
import { secp256k1Signer } from '../../src/signing/secp256k1.js';
import { BURN, chainDouble } from '../api/support/chain-double.js';
import { ask, POLICY, USER } from '../api/support/running-api.js';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
const [a, b] = [chainDouble(1, 'alpha'), chainDouble(2, 'beta')];
afterEach(() => {
  a.reset();
  b.reset();
});

/** A quoter whose store only says yes. */
function quoterWith(more: Partial<QuotingDeps>): Quoter {
  return createQuoter({
    store: { requests: async () => [], apply: async () => ({ ok: true }) },
    chains: new Map([
      [1, a.adapter],
      [2, b.adapter],
    ]),
    prices: { price: ({ group }) => ({ ok: true, usd: group === 'ether' ? '2000' : '1', at: 0 }) },
    engine: { available: () => 10n ** 40n, volumeLeft: () => null, paused: () => null },
    policy: POLICY,
    orderSigner: secp256k1Signer(Buffer.alloc(32, 7)),
    clock: { now: Date.now, monotonic: () => performance.now(), sleep: async () => undefined, every: () => quiet },
    random: systemRandom,
    log,
    ...more,
  });
}

async function detailsOf(
  quoter: Quoter,
  change: Readonly<Record<string, unknown>> = {},
): Promise<QuoteAnswer['details']> {
  const answer = await quoter.quote(ask(change) as unknown as QuoteAsk, { keyId: null, granted: [] });
  if (answer instanceof Error) throw answer;
  return answer.details;
}

const secondsOf = async (quoter: Quoter) => (await detailsOf(quoter)).timeEstimate;

it('estimates its time from the chains while no fill was observed', async () => {
  expect(await secondsOf(quoterWith({}))).toBe(2);
  expect(await secondsOf(quoterWith({ fillTimes: { of: () => undefined } }))).toBe(2);
});

it('estimates its time from fills of its own route, rounded up', async () => {
  const asked: [number, number][] = [];
  const of = (from: number, to: number) => {
    asked.push([from, to]);
    return 6_001;
  };
  expect(await secondsOf(quoterWith({ fillTimes: { of } }))).toBe(7);
  expect(asked).toEqual([[1, 2]]);
  expect(await secondsOf(quoterWith({ fillTimes: { of: () => 3 } }))).toBe(1);
});

it('never estimates less than the blocks that a deposit of its value waits for', async () => {
  const deep = { ...a.adapter, acceptDepth: (value: bigint) => (value >= 100_000_000n ? 40 : 0) };
  const chains = new Map([
    [1, deep],
    [2, b.adapter],
  ]);
  const quoter = quoterWith({ chains, fillTimes: { of: () => 5_000 } });
  expect((await detailsOf(quoter)).timeEstimate).toBe(40);
  expect((await detailsOf(quoter, { amount: '99000000' })).timeEstimate).toBe(5);
});

it("tells the payer's balance where it is known, and nothing in its place where it is not", async () => {
  const asked: unknown[] = [];
  const balances = {
    of: async (...question: unknown[]) => {
      asked.push(question.slice(1));
      return 42n;
    },
  };
  expect((await detailsOf(quoterWith({ balances }))).userBalance).toBe('42');
  expect(asked).toEqual([[USER, a.adapter.currencies()[1]?.address]]);
  expect(await detailsOf(quoterWith({ balances: { of: async () => undefined } }))).not.toHaveProperty('userBalance');
});

it('looks up no balance for payers of previews', async () => {
  const balances = { of: async () => 42n };
  expect(await detailsOf(quoterWith({ balances }), { user: BURN, recipient: BURN })).not.toHaveProperty('userBalance');
});

it('is not held up by a balance that never comes, nor failed by one that cannot be read', async () => {
  const clock = {
    monotonic: () => performance.now(),
    sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 20)),
  };
  a.state.balance = () => new Promise(() => undefined);
  for (const waitMs of [0, 20]) {
    const balances = createUserBalances({ waitMs, perSecond: 1_000 }, clock, log);
    expect(await detailsOf(quoterWith({ balances }))).not.toHaveProperty('userBalance');
  }
  a.state.balance = () => Promise.reject(new Error('down'));
  const balances = createUserBalances({ waitMs: 20, perSecond: 1_000 }, clock, log);
  expect(await detailsOf(quoterWith({ balances }))).not.toHaveProperty('userBalance');
});

it('knows private chains only for callers who were granted them', async () => {
  const uuid = '0b0f6f0c-6d2e-4d0a-9f0b-0d9be7a3a111';
  const hidden = { ...b.adapter, facts: { ...b.adapter.facts, private: uuid.toUpperCase() } };
  const chains = new Map([
    [1, a.adapter],
    [2, hidden],
  ]);
  const quoter = quoterWith({ chains });
  const code = async (granted: readonly string[], change = {}) => {
    const caller = { keyId: null, granted };
    const body = ask(change) as unknown as QuoteAsk;
    const [quoted, priced] = [await quoter.quote(body, caller), await quoter.price(body, caller)];
    const codes = [quoted, priced].map((answer) => (answer instanceof Error ? answer.code : 'OK'));
    expect(codes[0]).toBe(codes[1]);
    return codes[0];
  };
  expect(await code([])).toBe('UNSUPPORTED_CHAIN');
  expect(await code(['another'])).toBe('UNSUPPORTED_CHAIN');
  expect(await code([], { originChainId: 2, destinationChainId: 1 })).toBe('UNSUPPORTED_CHAIN');
  expect(await code([uuid])).toBe('OK');
});

it('keeps what it charged for an account of the recipient, and charges it', async () => {
  const bodies: QuoteBody[] = [];
  const store: QuotingDeps['store'] = {
    requests: async () => [],
    apply: async ({ changes }) => {
      for (const change of changes) if (change.op === 'insert') bodies.push(bodyOf(change.row));
      return { ok: true };
    },
  };
  const quoter = quoterWith({ store });
  const { fill } = b.state;
  const { legCost } = b.adapter;
  const recipients: (string | undefined)[] = [];
  b.adapter.legCost = (_, __, recipient) => {
    recipients.push(recipient);
    return fill;
  };
  const feeOf = async (): Promise<bigint> => {
    const answer = await quoter.quote(ask({}) as unknown as QuoteAsk, { keyId: null, granted: [] });
    if (answer instanceof Error) throw answer;
    return BigInt(answer.fees.relayerGas.amount);
  };
  const without = await feeOf();
  b.adapter.legCost = () => fill && { ...fill, native: fill.native * 2n, rent: fill.native };
  expect(await feeOf()).toBeGreaterThan(without);
  expect(recipients).toEqual([bodies[0]?.recipient]);
  expect(bodies.map(({ fillRent }) => fillRent)).toEqual([undefined, fill?.native.toString()]);
  b.adapter.legCost = legCost;
});

it('charges what the currencies themselves keep: of the collect, and on top of the fill', async () => {
  const quoter = quoterWith({});
  const [collected, filled] = [a.adapter.legCost, b.adapter.legCost];
  const amountOut = async (): Promise<bigint> => {
    const answer = await quoter.quote(ask({}) as unknown as QuoteAsk, { keyId: null, granted: [] });
    if (answer instanceof Error) throw answer;
    return BigInt(answer.details.currencyOut.amount);
  };
  const { fill } = b.state;
  if (!fill) throw new Error('no fees');
  [a, b].forEach(({ adapter }) => {
    adapter.legCost = () => fill;
  });
  const whole = await amountOut();
  const amountIn = BigInt(ask({}).amount as string);
  // 100 bps of what is sent are 102 of what arrives, by whole ones, rounded up.
  b.adapter.legCost = () => ({ ...fill, keptBps: 100 });
  a.adapter.legCost = () => ({ ...fill, keptBps: 50 });
  const less = whole - (await amountOut());
  expect(less).toBeGreaterThanOrEqual((amountIn * 152n) / 10_000n);
  expect(less).toBeLessThanOrEqual((amountIn * 153n) / 10_000n);
  b.adapter.legCost = () => ({ ...fill, keptBps: 10_000 });
  await expect(amountOut()).rejects.toThrow('must leave something');
  [a.adapter.legCost, b.adapter.legCost] = [collected, filled];
});

function bodyOf(row: object): QuoteBody {
  return JSON.parse((row as { readonly body: string }).body) as QuoteBody;
}
