import { type Address, encodeFunctionData, parseAbi, parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testVault } from '../../plugins/evm/src/generated/contracts.js';
import { deploy } from '../support/contracts.js';
import { movePool, type PoolOf } from '../support/venues.js';
import { newAddress, pay } from '../support/wallet.js';
import { type Ask, type Order, World } from '../support/world.js';

let world: World;

beforeAll(async () => {
  world = await World.start({ venues: true });
});

afterAll(async () => {
  await world?.close();
});

const usd = (amount: string) => parseUnits(amount, 6);
const govPair = (): PoolOf => ({ chain: world.b, symbols: ['GOV', 'WETH'] });
const govPool = (): PoolOf => ({ chain: world.b, symbols: ['GOV', 'USDC'], fee: 3_000 });
const got = (order: Order) => order.to.balance(order.recipient, order.output);

async function refused({ amount, input = 'USDC', output = 'GOV', tradeType = 'EXACT_INPUT', body }: Ask) {
  const answer = await world.rest.refusedQuote({
    ...{ user: newAddress(), tradeType, amount: amount.toString() },
    ...{ originChainId: world.a.id, originCurrency: world.a.currency(input) },
    ...{ destinationChainId: world.b.id, destinationCurrency: world.b.currency(output) },
    ...body,
  });
  return answer.body;
}

/** Pays an order whose swap fails, because its pools move away, and back afterwards. */
async function whilePoolsMove(order: Order, then: () => Promise<void>): Promise<void> {
  await movePool({ ...govPair(), symbols: ['WETH', 'GOV'] }, parseEther('2000'));
  await movePool({ ...govPool(), symbols: ['USDC', 'GOV'] }, usd('4000000'));
  await pay(order.from, order.user, order.quote);
  await then();
  await movePool(govPair(), parseEther('800000'));
  await movePool(govPool(), parseEther('800000'));
}

describe('a currency that the inventory has none of', () => {
  it.each([
    ['a token', 'USDC', usd('300')],
    ['coin', 'ETH', parseEther('0.2')],
  ])('is swapped for in the fill, to the unit, from %s', async (_, input, amount) => {
    const order = await world.order({ input, output: 'GOV', amount });
    const { details } = order.quote;
    expect(details.route.destination.router).toMatch(/^uniswap-v[23]$/);
    expect(details.operation).toBe('swap');
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    expect(await got(order)).toBe(order.amountOut);
    const record = await world.rest.request(order.requestId);
    expect(record).toMatchObject({ requestType: 'Crosschain Swap', status: 'success' });
    expect(record.data).toMatchObject({ usesExternalLiquidity: true, failReason: null });
    const { actual, includedDestinationSwapSources } = record.data.route;
    expect(actual?.destination.outputCurrency).toMatchObject({
      amount: order.amountOut.toString(),
      currency: { symbol: 'GOV' },
    });
    expect(actual?.destination.inputCurrency?.amount).toBe(details.route.destination.inputCurrency.amount);
    expect(includedDestinationSwapSources).toEqual([details.route.destination.router]);
    const { requests } = await world.rest.requests({ currencyOutSymbol: 'gov', limit: 50 });
    expect(requests.map(({ id }) => id)).toContain(order.requestId);
  });

  it('is delivered exactly, with what the buffer brings on top, or without', async () => {
    const asked = { input: 'USDC', output: 'GOV', tradeType: 'EXACT_OUTPUT', amount: parseEther('40') } as const;
    const order = await world.order({ ...asked, body: { slippageTolerance: '100' } });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    const surplus = await got(order);
    expect(surplus).toBeGreaterThan(parseEther('40.3'));
    expect(surplus).toBeLessThan(parseEther('40.41'));

    const exact = await world.order({ ...asked, body: { slippageTolerance: '100', enableTrueExactOutput: true } });
    await pay(exact.from, exact.user, exact.quote);
    await world.becomes(exact, 'success');
    const delivered = await got(exact);
    expect(delivered).toBeGreaterThanOrEqual(parseEther('40'));
    expect(delivered).toBeLessThan(surplus);
  });

  it('is swapped for on one chain too, where the solver is to do it', async () => {
    const { a } = world;
    const body = { forceSolverExecution: true };
    const order = await world.order({ from: a, to: a, input: 'DAI', output: 'GOV', amount: parseEther('100'), body });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    expect(await got(order)).toBe(order.amountOut);
    expect((await world.rest.request(order.requestId)).requestType).toBe('Same-chain Swap');
  });

  it('comes from the sources that a client names, through as many pools as it allows', async () => {
    for (const source of ['uniswap-v2', 'uniswap-v3']) {
      const body = { includedDestinationSwapSources: [source], maxRouteLength: 3 };
      const order = await world.order({ input: 'USDC', output: 'GOV', amount: usd('20'), body });
      expect(order.quote.details.route.destination.router).toBe(source);
    }
    const none = await refused({ amount: usd('20'), body: { excludedSwapSources: ['uniswap-v2', 'uniswap-v3'] } });
    expect(none).toMatchObject({ errorCode: 'INSUFFICIENT_LIQUIDITY' });
  });

  it('can be what calls of the order spend', async () => {
    const vault: Address = await deploy(world.b, testVault, [world.b.currency('GOV')]);
    const approve = encodeFunctionData({
      abi: parseAbi(['function approve(address spender, uint256 amount) returns (bool)']),
      functionName: 'approve',
      args: [vault, 2n ** 256n - 1n],
    });
    const stake = encodeFunctionData({ abi: testVault.abi, functionName: 'depositAll' });
    const txs = [
      { to: world.b.currency('GOV'), value: '0', data: approve },
      { to: vault, value: '0', data: stake },
    ];
    const order = await world.order({ input: 'USDC', output: 'GOV', amount: usd('60'), body: { txs } });
    world.excuse(order, { unmeasured: true });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    const share = { address: vault, abi: testVault.abi, functionName: 'balanceOf', args: [order.recipient] } as const;
    expect(await world.b.client.readContract(share)).toBe(order.amountOut);
    expect((await world.rest.request(order.requestId)).requestType).toBe('Call');
  });
});

describe('what pools take', () => {
  it('is refused beyond the bound, unless the client accepts any', async () => {
    const much = { amount: usd('6000000') };
    const answer = await refused(much);
    expect(answer).toMatchObject({ errorCode: 'SWAP_IMPACT_TOO_HIGH' });
    const order = await world.order({ input: 'USDC', output: 'GOV', ...much, body: { overridePriceImpact: true } });
    expect(Number(order.quote.details.swapImpact.percent)).toBeLessThan(-10);
  });
});

describe('pools that moved between quote and fill', () => {
  it('lead to a refund of what was paid, with the reason', async () => {
    const order = await world.order({ input: 'USDC', output: 'GOV', amount: usd('200') });
    await whilePoolsMove(order, async () => {
      const status = await world.becomes(order, 'refund', { mining: true });
      expect(status).toMatchObject({ failReason: 'SLIPPAGE' });
    });
    expect(await got(order)).toBe(0n);
    expect(await order.from.balance(order.refundTo, 'USDC')).toBeGreaterThan(usd('190'));
  });

  it('lead to what the solver would have exchanged, where the client allows that', async () => {
    const body = { useFallbacks: true, overridePriceImpact: true };
    const order = await world.order({ input: 'USDC', output: 'GOV', amount: usd('200'), body });
    world.excuse(order, { unmeasured: true });
    const { inputCurrency } = order.quote.details.route.destination;
    await whilePoolsMove(order, async () => void (await world.becomes(order, 'fallback')));
    expect(await got(order)).toBe(0n);
    expect(await order.to.balance(order.recipient, inputCurrency.currency.symbol)).toBe(BigInt(inputCurrency.amount));
    const record = await world.rest.request(order.requestId);
    expect(record).toMatchObject({ status: 'refund' });
    expect(record.data.route.actual?.destination.outputCurrency?.currency.symbol).toBe(inputCurrency.currency.symbol);
  });
});

it('leaves all books right', async () => {
  expect(await world.verdict()).toEqual([]);
});
