import { afterEach, expect, it } from 'vitest';
import type { QuoteBody } from '../../src/domain/quote.js';
import type { QuoteAsk } from '../../src/quoting/ask.js';
import type { Quoter } from '../../src/quoting/quoter.js';
import type { QuotingDeps } from '../../src/quoting/quoting-deps.js';
import { createUserBalances } from '../../src/quoting/user-balances.js';
import { BURN } from '../api/support/chain-double.js';
import { ask, USER } from '../api/support/running-api.js';
import { alpha, beta, detailsOf, log, quoted, quoterWith } from './support/quoter-with.js';

afterEach(() => {
  alpha.reset();
  beta.reset();
});

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
  const deep = { ...alpha.adapter, acceptDepth: (value: bigint) => (value >= 100_000_000n ? 40 : 0) };
  const chains = new Map([
    [1, deep],
    [2, beta.adapter],
  ]);
  const quoter = quoterWith({ chains, fillTimes: { of: () => 5_000 } });
  expect((await detailsOf(quoter)).timeEstimate).toBe(40);
  expect((await detailsOf(quoter, { amount: '99000000' })).timeEstimate).toBe(5);
});

it("reports the payer's balance where it is known, and nothing in its place where it is not", async () => {
  const asked: unknown[] = [];
  const balances = {
    of: async (...question: unknown[]) => {
      asked.push(question.slice(1));
      return 42n;
    },
  };
  expect((await detailsOf(quoterWith({ balances }))).userBalance).toBe('42');
  expect(asked).toEqual([[USER, alpha.adapter.currencies()[1]?.address]]);
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
  alpha.state.balance = () => new Promise(() => undefined);
  for (const waitMs of [0, 20]) {
    const balances = createUserBalances({ waitMs, perSecond: 1_000 }, clock, log);
    expect(await detailsOf(quoterWith({ balances }))).not.toHaveProperty('userBalance');
  }
  alpha.state.balance = () => Promise.reject(new Error('down'));
  const balances = createUserBalances({ waitMs: 20, perSecond: 1_000 }, clock, log);
  expect(await detailsOf(quoterWith({ balances }))).not.toHaveProperty('userBalance');
});

it('knows private chains only for callers who were granted them', async () => {
  const uuid = '0b0f6f0c-6d2e-4d0a-9f0b-0d9be7a3a111';
  const hidden = { ...beta.adapter, facts: { ...beta.adapter.facts, private: uuid.toUpperCase() } };
  const chains = new Map([
    [1, alpha.adapter],
    [2, hidden],
  ]);
  const quoter = quoterWith({ chains });
  const code = async (granted: readonly string[], change = {}) => {
    const caller = { keyId: null, party: 'anybody', granted };
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
    unpaidQuotes: async () => 0,
    ordersByPrefix: async () => [],
    requests: async () => [],
    apply: async ({ changes }) => {
      for (const change of changes) if (change.op === 'insert') bodies.push(bodyOf(change.row));
      return { ok: true };
    },
  };
  const quoter = quoterWith({ store });
  const { fill } = beta.state;
  const { legCost } = beta.adapter;
  const recipients: (string | undefined)[] = [];
  beta.adapter.legCost = (_, __, recipient) => {
    recipients.push(recipient);
    return fill;
  };
  const feeOf = async (): Promise<bigint> => {
    const answer = await quoter.quote(ask({}) as unknown as QuoteAsk, { keyId: null, party: 'anybody', granted: [] });
    if (answer instanceof Error) throw answer;
    return BigInt(answer.fees.relayerGas.amount);
  };
  const without = await feeOf();
  beta.adapter.legCost = () => fill && { ...fill, native: fill.native * 2n, rent: fill.native };
  expect(await feeOf()).toBeGreaterThan(without);
  expect(recipients).toEqual([bodies[0]?.recipient]);
  expect(bodies.map(({ fillRent }) => fillRent)).toEqual([undefined, fill?.native.toString()]);
  beta.adapter.legCost = legCost;
});

it('charges what the currencies themselves keep: of the collect, and on top of the fill', async () => {
  const quoter = quoterWith({});
  const [collected, filled] = [alpha.adapter.legCost, beta.adapter.legCost];
  const amountOut = async (): Promise<bigint> => {
    const answer = await quoter.quote(ask({}) as unknown as QuoteAsk, { keyId: null, party: 'anybody', granted: [] });
    if (answer instanceof Error) throw answer;
    return BigInt(answer.details.currencyOut.amount);
  };
  const { fill } = beta.state;
  if (!fill) throw new Error('no fees');
  [alpha, beta].forEach(({ adapter }) => {
    adapter.legCost = () => fill;
  });
  const whole = await amountOut();
  const amountIn = BigInt(ask({}).amount as string);
  // 100 bps of the sent amount are 102 of the arriving one, rounded up.
  beta.adapter.legCost = () => ({ ...fill, transferFeeBps: 100 });
  alpha.adapter.legCost = () => ({ ...fill, transferFeeBps: 50 });
  const less = whole - (await amountOut());
  expect(less).toBeGreaterThanOrEqual((amountIn * 152n) / 10_000n);
  expect(less).toBeLessThanOrEqual((amountIn * 153n) / 10_000n);
  beta.adapter.legCost = () => ({ ...fill, transferFeeBps: 10_000 });
  await expect(amountOut()).rejects.toThrow('must leave something');
  // No field of the request could fix it.
  await expect(amountOut()).rejects.toMatchObject({ code: 'UNSUPPORTED_ROUTE' });
  [alpha.adapter.legCost, beta.adapter.legCost] = [collected, filled];
});

it('spends an exact input of a token that charges a fee on transfer to the unit, and promises what arrives of it', async () => {
  const [arriving, sentFor] = [
    (sent: bigint) => sent - (sent + 99n) / 100n,
    (arrived: bigint) => (arrived * 100n) / 99n,
  ];
  alpha.adapter.transferFee = () => ({ arriving, sentFor });
  const asked: bigint[] = [];
  const { depositSteps } = alpha.adapter;
  alpha.adapter.depositSteps = (input) => {
    asked.push(input.amount);
    return depositSteps.call(alpha.adapter, input);
  };
  const details = await detailsOf(quoterWith({}), { amount: '1000001' });
  expect(details.currencyIn.amount).toBe('1000001');
  expect(details.route.origin).toMatchObject({
    inputCurrency: { amount: '1000001' },
    outputCurrency: { amount: '990000' },
  });
  const output = { tradeType: 'EXACT_OUTPUT', amount: details.currencyOut.amount };
  const exact = await detailsOf(quoterWith({}), output);
  expect(BigInt(exact.currencyIn.amount)).toBe(sentFor(BigInt(exact.route.origin.outputCurrency.amount)));
  expect(asked).toEqual([1_000_001n, BigInt(exact.currencyIn.amount)]);
  for (const [change, sent] of [
    [{ amount: '1000001' }, '1000001'],
    [output, exact.currencyIn.amount],
  ] as const) {
    const answer = await quoted(quoterWith({}), change);
    if (answer instanceof Error) throw answer;
    const { orderData, paymentDetails } = answer.protocol.v2;
    expect(paymentDetails.amount).toBe(sent);
    expect(orderData.inputs[0]?.payment.amount).toBe(arriving(BigInt(sent)).toString());
  }
  alpha.adapter.depositSteps = depositSteps;
  delete alpha.adapter.transferFee;
});

function bodyOf(row: object): QuoteBody {
  return JSON.parse((row as { readonly body: string }).body) as QuoteBody;
}
