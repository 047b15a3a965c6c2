import { type Address, type Hash, parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestChain } from '../support/chain.js';
import { type Quote, requestIdOf } from '../support/rest.js';
import { until } from '../support/until.js';
import { movePool } from '../support/venues.js';
import { depositDirectly, fund, newAddress, pay, type User } from '../support/wallet.js';
import { World } from '../support/world.js';

const usd = (amount: string) => parseUnits(amount, 6);

let world: World;
let from: TestChain;
let to: TestChain;

beforeAll(async () => {
  world = await World.start({ venues: true, payerSwaps: true, swappedIn: ['GOV', 'WETH'] });
  from = world.a;
  to = world.b;
}, 120_000);
afterAll(() => world.close());

interface Asked {
  readonly input?: string;
  readonly output?: string;
  readonly amount: bigint;
  readonly user: User;
  readonly recipient?: Address;
  readonly body?: object;
}

const bodyOf = ({ input = 'GOV', output = 'USDC', amount, user, recipient, body }: Asked) => ({
  ...{ user: user.address, originChainId: from.id, destinationChainId: to.id, tradeType: 'EXACT_INPUT' },
  ...{ originCurrency: from.currency(input), destinationCurrency: to.currency(output) },
  ...{ amount: amount.toString(), ...(recipient === undefined ? {} : { recipient }) },
  ...body,
});

const ask = (asked: Asked) => world.rest.call<Record<string, unknown>>('POST', '/quote/v2', { body: bodyOf(asked) });

async function quoteOf(asked: Asked): Promise<Quote> {
  const answer = await ask(asked);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as unknown as Quote;
}

const sidesOf = (quote: Quote): Sides => (quote as unknown as { details: { route: Sides } }).details.route;

async function record(quote: Quote) {
  const { requests } = await world.rest.requests({ id: requestIdOf(quote) });
  return requests[0] as unknown as Readonly<Record<string, unknown>> & { readonly data: Record<string, unknown> };
}

const becomes = (quote: Quote, status: string) =>
  until(`${requestIdOf(quote)} is ${status}`, async () => {
    await Promise.all([from.mine(), to.mine()]);
    const now = await world.rest.status(requestIdOf(quote));
    return now.status === status ? now : undefined;
  });

interface View {
  readonly amount: string;
  readonly minimumAmount: string;
  readonly currency: { readonly symbol: string };
}
interface Sides {
  readonly origin: { readonly inputCurrency: View; readonly outputCurrency: View; readonly router: string };
}

const entry = (): Address => {
  if (from.swapEntry === undefined) throw new Error(`${from.name} has no contract for swaps`);
  return from.swapEntry;
};

async function nothingStays(payer: Address): Promise<void> {
  for (const symbol of ['GOV', 'USDC', 'WETH', 'ETH'])
    expect(await from.balance(entry(), symbol), `${symbol} in the entry after ${payer}`).toBe(0n);
}

describe('wrapped coin that is not taken', () => {
  it.each(['EXACT_INPUT', 'EXACT_OUTPUT'])('is unwrapped into the deposit, and filled: %s', async (tradeType) => {
    const [user, recipient] = [await world.user({ WETH: parseEther('5') }), newAddress()];
    const amount = parseEther('0.5');
    const body = { tradeType, includedOriginSwapSources: ['wrapped-native'] };
    const quote = await quoteOf({ input: 'WETH', output: 'ETH', amount, user, recipient, body });
    expect(sidesOf(quote).origin).toMatchObject({
      ...{ router: 'wrapped-native', inputCurrency: { currency: { symbol: 'WETH' } } },
      outputCurrency: { currency: { symbol: 'ETH' } },
    });
    await from.receipt(await pay(from, user, quote));
    await becomes(quote, 'success');
    expect(await to.balance(recipient, 'ETH')).toBe(BigInt(quote.details.currencyOut.amount));
    await nothingStays(user.address);
  });
});

describe('a refund of what was swapped', () => {
  const refunded = { referrer: 'debug-force-refund' };

  it('comes back as what was paid', async () => {
    const [user, refundTo] = [await world.user({ GOV: parseEther('50') }), newAddress()];
    const amount = parseEther('20');
    const quote = await quoteOf({ amount, user, body: { ...refunded, refundTo } });
    await from.receipt(await pay(from, user, quote));
    await becomes(quote, 'refund');
    const back = await from.balance(refundTo, 'GOV');
    expect(back).toBeGreaterThan((amount * 90n) / 100n);
    expect(back).toBeLessThan(amount);
    for (const symbol of ['USDC', 'WETH', 'ETH']) expect(await from.balance(refundTo, symbol)).toBe(0n);
    const { data } = await record(quote);
    expect(data).toMatchObject({
      failReason: 'UNKNOWN',
      refundFailReason: null,
      refundCurrencyData: { amount: back.toString(), currency: { symbol: 'GOV' } },
    });
    await nothingStays(user.address);
  });

  it('comes back as it is where it was deposited so, under an order that was to be swapped', async () => {
    const [user, refundTo] = [await world.user({ GOV: parseEther('50'), USDC: usd('100') }), newAddress()];
    const quote = await quoteOf({ amount: parseEther('1'), user, body: { ...refunded, refundTo } });
    const { inputs } = quote.protocol.v2.orderData;
    const amount = BigInt(inputs[0]?.payment.amount ?? 0);
    const symbol = sidesOf(quote).origin.outputCurrency.currency.symbol;
    await fund(from, user.address, { [symbol]: amount + parseEther('1') });
    await depositDirectly(from, user, { symbol, amount, id: quote.protocol.v2.orderId });
    await becomes(quote, 'refund');
    expect(await from.balance(refundTo, symbol)).toBeGreaterThan(0n);
    expect(await from.balance(refundTo, 'GOV')).toBe(0n);
  });
});

describe('a deposit that a reorganisation makes again', () => {
  it('with another amount is followed, and what is refunded is of what arrived', async () => {
    const [user, refundTo] = [await world.user({ GOV: parseEther('50') }), newAddress()];
    const body = { referrer: 'debug-force-refund', refundTo, slippageTolerance: '1000' };
    const quote = await quoteOf({ amount: parseEther('20'), user, body });
    const paidIn = sidesOf(quote).origin.outputCurrency.currency.symbol;
    const pot = await from.balance(from.depository, paidIn);
    const hash = await pay(from, user, quote);
    await from.receipt(hash);
    const first = (await from.balance(from.depository, paidIn)) - pot;
    await until('the deposit is seen', async () =>
      (await world.rest.status(requestIdOf(quote))).status === 'pending' ? true : undefined,
    );
    const raw = await from.client.request<{ Method: string; Parameters: [Hash]; ReturnType: Hash }>({
      method: 'eth_getRawTransactionByHash',
      params: [hash],
    });
    await from.reorgOut(hash);
    await cheapen(paidIn, '15');
    await from.client.sendRawTransaction({ serializedTransaction: raw });
    expect((await from.receipt(hash)).status).toBe('success');
    const second = (await from.balance(from.depository, paidIn)) - pot;
    expect(second).not.toBe(first);
    await becomes(quote, 'refund');
    expect(await from.balance(refundTo, 'GOV')).toBeGreaterThan(0n);
    expect((await world.rest.status(requestIdOf(quote))).inTxHashes).toEqual([hash]);
    // To the unit: a wrong booking or an excess refund would show.
    await until('the books agree with the chains', async () => {
      await world.finalise();
      const { balanced, unsettled } = await world.rest.audit();
      return balanced && unsettled === 0 ? true : undefined;
    });
    await nothingStays(user.address);
  });
});

describe('what the solver does not take is swapped within the deposit', () => {
  it('asks for two signatures, deposits what came out and fills its worth', async () => {
    const [user, recipient] = [await world.user({ GOV: parseEther('50') }), newAddress()];
    const amount = parseEther('20');
    const quote = await quoteOf({ amount, user, recipient });
    expect(quote.steps.map(({ id }) => id)).toEqual(['approve', 'deposit']);
    const { to: target } = quote.steps[1]?.items[0]?.data ?? {};
    expect(String(target).toLowerCase()).toBe(entry().toLowerCase());
    const { details } = quote as unknown as { details: Quote['details'] & { refundCurrency: View; route: Sides } };
    expect(details).toMatchObject({
      currencyIn: { amount: amount.toString(), currency: { symbol: 'GOV' } },
      refundCurrency: { currency: { symbol: 'GOV' } },
      route: { origin: { inputCurrency: { currency: { symbol: 'GOV' } }, router: /^uniswap-v[23]$/ } },
    } as never);
    const { outputCurrency } = details.route.origin;
    const paidIn = outputCurrency.currency.symbol;
    expect(paidIn).not.toBe('GOV');
    const [held, pot] = [await from.balance(user.address, 'GOV'), await from.balance(from.depository, paidIn)];
    const hash = await pay(from, user, quote);
    expect((await from.receipt(hash)).status).toBe('success');
    const deposited = (await from.balance(from.depository, paidIn)) - pot;
    expect(deposited).toBe(BigInt(outputCurrency.amount));
    const done = await becomes(quote, 'success');
    expect(done.inTxHashes).toEqual([hash]);
    expect(held - (await from.balance(user.address, 'GOV'))).toBe(amount);
    expect(await to.balance(recipient, 'USDC')).toBe(BigInt(details.currencyOut.amount));
    const { data } = await record(quote);
    const route = data.route as { quoted: Sides; actual: Sides; includedOriginSwapSources: readonly string[] };
    expect(data).toMatchObject({ usesExternalLiquidity: true, failReason: null });
    expect(route.actual.origin).toMatchObject({
      inputCurrency: { amount: amount.toString(), currency: { symbol: 'GOV' } },
      outputCurrency: { amount: deposited.toString(), currency: { symbol: paidIn } },
      router: details.route.origin.router,
    });
    expect(route.includedOriginSwapSources).toEqual([details.route.origin.router]);
    await nothingStays(user.address);
  });

  it('delivers exactly what was asked for, and the payer keeps what that did not take', async () => {
    const [user, recipient] = [await world.user({ GOV: parseEther('100') }), newAddress()];
    const amount = usd('100');
    const body = { tradeType: 'EXACT_OUTPUT', slippageTolerance: '300' };
    const quote = await quoteOf({ amount, user, recipient, body });
    await from.receipt(await pay(from, user, quote));
    await becomes(quote, 'success');
    expect(await to.balance(recipient, 'USDC')).toBe(amount);
    const paid = parseEther('100') - (await from.balance(user.address, 'GOV'));
    const most = BigInt(quote.details.currencyIn.amount);
    expect(paid).toBeLessThan(most);
    expect(paid).toBeGreaterThan((most * 96n) / 100n);
    const { data } = await record(quote);
    const { actual } = data.route as { actual: Sides };
    expect(actual.origin.inputCurrency).toMatchObject({ amount: paid.toString(), currency: { symbol: 'GOV' } });
    await nothingStays(user.address);
  });

  it('swaps on both sides', async () => {
    const [user, recipient] = [await world.user({ GOV: parseEther('50') }), newAddress()];
    const quote = await quoteOf({ output: 'GOV', amount: parseEther('10'), user, recipient });
    await from.receipt(await pay(from, user, quote));
    await becomes(quote, 'success');
    expect(await to.balance(recipient, 'GOV')).toBe(BigInt(quote.details.currencyOut.amount));
    const { data } = await record(quote);
    const route = data.route as Record<string, readonly string[]>;
    expect(route.includedOriginSwapSources).toHaveLength(1);
    expect(route.includedDestinationSwapSources).toHaveLength(1);
  });

  it('swaps what is taken, too, where only a swap will do', async () => {
    const [user, recipient] = [await world.user({ ETH: parseEther('5') }), newAddress()];
    const body = { useExternalLiquidity: true, excludedSwapSources: [] };
    const amount = parseEther('0.5');
    const quote = await quoteOf({ input: 'ETH', amount, user, recipient, body });
    await from.receipt(await pay(from, user, quote));
    await becomes(quote, 'success');
    expect(await to.balance(recipient, 'USDC')).toBeGreaterThanOrEqual(BigInt(quote.details.currencyOut.minimumAmount));
    expect((await record(quote)).data).toMatchObject({ usesExternalLiquidity: true });
  });

  it('delivers the worth of a little more where the pools gave it', async () => {
    const [user, recipient] = [await world.user({ GOV: parseEther('50') }), newAddress()];
    const quote = await quoteOf({ amount: parseEther('20'), user, recipient });
    const paidIn = sidesOf(quote).origin.outputCurrency.currency.symbol;
    await cheapen(paidIn, '15');
    await from.receipt(await pay(from, user, quote));
    await becomes(quote, 'success');
    const got = await to.balance(recipient, 'USDC');
    const quoted = BigInt(quote.details.currencyOut.amount);
    expect(got).toBeGreaterThan(quoted);
    expect(got).toBeLessThan((quoted * 10_102n) / 10_000n);
  });

  it('is undone by the chain below the least, and costs the payer nothing but gas', async () => {
    const user = await world.user({ GOV: parseEther('50') });
    const quote = await quoteOf({ amount: parseEther('20'), user, body: { slippageTolerance: '10' } });
    await sellGov();
    const held = await from.balance(user.address, 'GOV');
    const [approval, swap] = quote.steps.flatMap(({ items }) => items);
    await from.receipt(await pay(from, user, { ...quote, steps: [{ ...quote.steps[0], items: [approval] }] } as Quote));
    const withGas = { ...swap, data: { ...swap?.data, gas: '1500000' } };
    const hash: Hash = await pay(from, user, { ...quote, steps: [{ ...quote.steps[1], items: [withGas] }] } as Quote);
    expect((await from.receipt(hash)).status).toBe('reverted');
    expect(await from.balance(user.address, 'GOV')).toBe(held);
    expect((await world.rest.status(requestIdOf(quote))).status).toBe('waiting');
  });

  it('says where none leads on', async () => {
    const user = await world.user({ GOV: parseEther('1') });
    for (const body of [{ disableOriginSwaps: true }, { includedOriginSwapSources: ['nobody'] }]) {
      const refused = await ask({ amount: parseEther('1'), user, body });
      expect(refused).toMatchObject({ status: 400, body: { errorCode: 'NO_SWAP_ROUTES_FOUND' } });
    }
  });
});

describe('a refund that the pools would take too much of', () => {
  it('comes back as what was deposited where the pools take too much by then', async () => {
    const [user, refundTo] = [await world.user({ GOV: parseEther('50') }), newAddress()];
    // GOV is expensive there: paying with it brings more than the market, the way back less.
    await emptied();
    const quote = await quoteOf({ amount: parseEther('20'), user, body: { referrer: 'debug-force-refund', refundTo } });
    const paidIn = sidesOf(quote).origin.outputCurrency.currency.symbol;
    await from.receipt(await pay(from, user, quote));
    await becomes(quote, 'refund');
    expect(await from.balance(refundTo, 'GOV')).toBe(0n);
    expect(await from.balance(refundTo, paidIn)).toBeGreaterThan(0n);
    const { data } = await record(quote);
    expect(data).toMatchObject({
      failReason: 'REVERSE_SWAP_FAILED',
      refundCurrencyData: { currency: { symbol: paidIn } },
    });
  });
});

/** A sale of the deposited currency for GOV: GOV brings more. */
async function cheapen(symbol: string, percentLike: string): Promise<void> {
  const amount = symbol === 'USDC' ? usd(`${percentLike}00`) : parseEther('1');
  await eachPool([symbol === 'ETH' ? 'WETH' : symbol, 'GOV'], amount);
}

/** Sells GOV to every pool, which lowers its price. */
async function sellGov(): Promise<void> {
  for (const other of ['USDC', 'WETH']) await eachPool(['GOV', other], parseEther('20000'));
}

async function emptied(): Promise<void> {
  await eachPool(['USDC', 'GOV'], usd('3000000'));
  await eachPool(['WETH', 'GOV'], parseEther('3000'));
}

async function eachPool(symbols: readonly [string, string], amount: bigint): Promise<void> {
  for (const fee of [undefined, 500, 3_000, 10_000])
    await movePool({ chain: from, symbols, ...(fee === undefined ? {} : { fee }) }, amount).catch(() => undefined);
}
