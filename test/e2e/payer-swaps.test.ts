import { type Address, type Hash, parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestChain } from '../support/chain.js';
import type { Quote } from '../support/rest.js';
import { requestIdOf } from '../support/rest.js';
import { until } from '../support/until.js';
import { movePool } from '../support/venues.js';
import { depositDirectly, newAddress, pay, type User } from '../support/wallet.js';
import { World } from '../support/world.js';

const usd = (amount: string) => parseUnits(amount, 6);
const SHOP = newAddress();

let world: World;
let chain: TestChain;

beforeAll(async () => {
  world = await World.start({ venues: true, payerSwaps: true });
  chain = world.a;
}, 120_000);
afterAll(() => world.close());

interface Asked {
  readonly input: string;
  readonly output: string;
  readonly amount: bigint;
  readonly user: User;
  readonly recipient?: Address;
  readonly body?: object;
}

async function quoteOf({ input, output, amount, user, recipient, body }: Asked): Promise<Quote> {
  const answer = await world.rest.call<Record<string, unknown>>('POST', '/quote/v2', {
    body: {
      ...{ user: user.address, originChainId: chain.id, destinationChainId: chain.id, tradeType: 'EXACT_INPUT' },
      ...{ originCurrency: chain.currency(input), destinationCurrency: chain.currency(output) },
      ...{ amount: amount.toString(), ...(recipient === undefined ? {} : { recipient }) },
      ...body,
    },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as unknown as Quote;
}

async function record(quote: Quote) {
  const { requests } = await world.rest.requests({ id: requestIdOf(quote) });
  return requests[0] as unknown as Readonly<Record<string, unknown>> & { readonly data: Record<string, unknown> };
}

const becomes = (quote: Quote, status: string) =>
  until(`${requestIdOf(quote)} is ${status}`, async () => {
    await chain.mine();
    const now = await world.rest.status(requestIdOf(quote));
    return now.status === status ? now : undefined;
  });

const CASES = [
  ['Same-chain Swap', 'USDC', 'ETH', usd('300'), 'swap', ['approve', 'swap']],
  ['Same-chain Swap', 'ETH', 'GOV', parseEther('0.1'), 'swap', ['swap']],
  ['Wrap', 'ETH', 'WETH', parseEther('0.5'), 'wrap', ['swap']],
  ['Unwrap', 'WETH', 'ETH', parseEther('0.5'), 'unwrap', ['approve', 'swap']],
  ['Send', 'USDC', 'USDC', usd('40'), 'send', ['approve', 'send']],
  ['Send', 'ETH', 'ETH', parseEther('0.2'), 'send', ['send']],
] as const;

describe('what stays within a chain is executed by its payer', () => {
  it.each(CASES)('%s of %s to %s', async (requestType, input, output, amount, operation, steps) => {
    const [user, recipient] = [await world.user({ [input]: amount * 2n }), newAddress()];
    const quote = await quoteOf({ input, output, amount, user, recipient });
    expect(quote.steps.map(({ id }) => id)).toEqual(steps);
    for (const { id, items } of quote.steps)
      for (const item of items) expect('check' in item, id).toBe(id !== 'approve');
    expect(quote.details).toMatchObject({ operation });
    expect(quote.fees).toMatchObject({ relayerGas: { amount: '0' } });
    const [held, lane] = [
      await chain.balance(user.address, input),
      await chain.balance(world.keys.fill.address, input),
    ];
    const hash = await pay(chain, user, quote);
    const { status } = await chain.receipt(hash);
    expect(status).toBe('success');
    const done = await becomes(quote, 'success');
    expect(done).toMatchObject({ inTxHashes: [hash], txHashes: [hash] });
    const out = BigInt(quote.details.currencyOut.amount);
    expect(await chain.balance(recipient, output)).toBe(out);
    if (input !== 'ETH') expect(held - (await chain.balance(user.address, input))).toBe(amount);
    // The service's fee is in its lane, and the inventory is unchanged.
    const service = BigInt((quote.fees as unknown as { relayerService: { amount: string } }).relayerService.amount);
    expect((await chain.balance(world.keys.fill.address, input)) - lane).toBe(service);
    const { data, ...request } = await record(quote);
    expect(request).toMatchObject({ requestType, status: 'success' });
    expect(data).toMatchObject({ usesExternalLiquidity: operation !== 'send', failReason: null });
    const route = data.route as { actual: { origin: { router: string; outputCurrency: { amount: string } } } };
    expect(route.actual.origin.outputCurrency.amount).toBe(out.toString());
    expect(route.actual.origin.router).toMatch(operation === 'send' ? /^relay$/ : /^(uniswap-v[23]|wrapped-native)$/);
  });

  it('brings exactly what was asked for, and the payer gets the rest of its input back', async () => {
    const [user, recipient] = [await world.user({ USDC: usd('1000') }), newAddress()];
    const amount = parseEther('0.1');
    const body = { tradeType: 'EXACT_OUTPUT', slippageTolerance: '300' };
    const quote = await quoteOf({ input: 'USDC', output: 'ETH', amount, user, recipient, body });
    await chain.receipt(await pay(chain, user, quote));
    await becomes(quote, 'success');
    expect(await chain.balance(recipient, 'ETH')).toBe(amount);
    const most = BigInt(quote.details.currencyIn.amount);
    const paid = usd('1000') - (await chain.balance(user.address, 'USDC'));
    expect(paid).toBeLessThan(most);
    const route = (await record(quote)).data.route as { actual: { origin: { inputCurrency: { amount: string } } } };
    expect(route.actual.origin.inputCurrency.amount).toBe(paid.toString());
  });

  it('owes integrators their fee once it is final', async () => {
    const user = await world.user({ USDC: usd('1000') });
    const body = { appFees: [{ recipient: SHOP, fee: '100' }] };
    const quote = await quoteOf({ input: 'USDC', output: 'ETH', amount: usd('500'), user, body });
    await chain.receipt(await pay(chain, user, quote));
    await becomes(quote, 'success');
    const owed = await until('the fee is owed', async () => {
      await chain.mine();
      const { body: answer } = await world.rest.call<Record<string, unknown>>('GET', `/app-fees/${SHOP}/balances`);
      const { balances } = answer as unknown as { balances: readonly { amount: string }[] };
      return balances[0]?.amount;
    });
    expect(owed).toBe(usd('5').toString());
  });

  it('fails as the chain proves it where the price moved, and costs the payer nothing but gas', async () => {
    const user = await world.user({ USDC: usd('1000') });
    const quote = await quoteOf({ input: 'USDC', output: 'GOV', amount: usd('900'), user });
    for (const fee of [undefined, 500, 3000])
      await movePool({ chain, symbols: ['USDC', 'GOV'], ...(fee === undefined ? {} : { fee }) }, usd('200000')).catch(
        () => undefined,
      );
    const [approval, swap] = quote.steps.flatMap(({ items }) => items);
    await chain.receipt(
      await pay(chain, user, { ...quote, steps: [{ ...quote.steps[0], items: [approval] }] } as Quote),
    );
    const withGas = { ...swap, data: { ...swap?.data, gas: '900000' } };
    const hash: Hash = await pay(chain, user, { ...quote, steps: [{ ...quote.steps[1], items: [withGas] }] } as Quote);
    expect((await chain.receipt(hash)).status).toBe('reverted');
    const tx = JSON.stringify({ ...swap?.data, txHash: hash });
    const reported = await world.rest.call<Record<string, unknown>>('POST', '/transactions/single', {
      body: {
        requestId: requestIdOf(quote),
        chainId: `${chain.id}`,
        tx,
      },
    });
    expect(reported.status).toBe(200);
    expect(await becomes(quote, 'failure')).toMatchObject({ failReason: 'TRANSACTION_REVERTED', inTxHashes: [hash] });
    expect(await chain.balance(user.address, 'USDC')).toBe(usd('1000'));
  });

  it('goes through the inventory where that is asked, and is refunded from the depository under an own order', async () => {
    const user = await world.user({ USDC: usd('1000') });
    const asked = { input: 'USDC', output: 'ETH', amount: usd('100'), user } as const;
    const forced = await quoteOf({ ...asked, body: { forceSolverExecution: true } });
    expect(forced.steps.map(({ id }) => id)).toEqual(['approve', 'deposit']);
    await chain.receipt(await pay(chain, user, forced));
    await becomes(forced, 'success');
    const own = await quoteOf(asked);
    expect(own.steps.at(-1)?.id).toBe('swap');
    const id = own.protocol.v2.orderId as Hash;
    const before = await chain.balance(user.address, 'USDC');
    await depositDirectly(chain, user, { symbol: 'USDC', amount: usd('100'), id });
    await until('it is paid back', async () => {
      await chain.mine();
      return before - (await chain.balance(user.address, 'USDC')) < usd('5') ? true : undefined;
    });
    await becomes(own, 'refund');
  });

  it('is refused where only sources would do and none does', async () => {
    const user = await world.user({ USDC: usd('10') });
    const answer = await world.rest.refusedQuote({
      ...{ user: user.address, originChainId: chain.id, destinationChainId: chain.id, tradeType: 'EXACT_INPUT' },
      ...{ originCurrency: chain.currency('USDC'), destinationCurrency: chain.currency('BLOCK'), amount: '5000000' },
      useExternalLiquidity: true,
    });
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'NO_SWAP_ROUTES_FOUND' } });
  });
});
