import { parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addLiquidity, movePool, type PoolOf, poolQuote, removeLiquidity } from '../support/venues.js';
import { pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

let world: World;

beforeAll(async () => {
  world = await World.start({ venues: true });
});

afterAll(async () => {
  await world?.close();
});

const usd = (amount: string) => parseUnits(amount, 6);

describe('chains with venues', () => {
  it('bring a source for each kind of them, and report what wraps their coin', async () => {
    const { body } = await world.rest.call<{ sources: string[] }>('GET', '/swap-sources');
    expect(body.sources).toEqual(['uniswap-v2', 'uniswap-v3', 'wrapped-native']);
    const { body: known } = await world.rest.call<{
      chains: { id: number; contracts: Record<string, string>; erc20Currencies: { symbol: string }[] }[];
    }>('GET', '/chains');
    for (const chain of world.chains) {
      const reported = known.chains.find(({ id }) => id === chain.id);
      expect(reported?.contracts.wrappedNative).toBe(chain.currency('WETH').toLowerCase());
      expect(reported?.erc20Currencies.map(({ symbol }) => symbol)).toEqual(expect.arrayContaining(['WETH', 'GOV']));
    }
  });

  it('have pools at the prices of the service, of which the solver holds one token in none of its keys', async () => {
    const { a, b, keys } = world;
    for (const chain of [a, b]) {
      expect(await chain.balance(keys.fill.address, 'GOV')).toBe(0n);
      expect(await chain.balance(keys.fill.address, 'WETH')).toBeGreaterThan(parseEther('1000'));
      for (const [symbols, fee, amount, expected] of [
        [['WETH', 'USDC'], undefined, parseEther('1'), usd('2000')],
        [['WETH', 'USDC'], 500, parseEther('1'), usd('2000')],
        [['WETH', 'USDC'], 3_000, parseEther('1'), usd('2000')],
        [['USDC', 'DAI'], undefined, usd('100'), parseEther('100')],
        [['USDC', 'USDT'], 100, usd('100'), usd('100')],
        [['WETH', 'DAI'], 3_000, parseEther('1'), parseEther('2000')],
        [['WETH', 'GOV'], undefined, parseEther('1'), parseEther('400')],
        [['USDC', 'GOV'], 3_000, usd('100'), parseEther('20')],
      ] as const) {
        const pool: PoolOf = { chain, symbols, ...(fee === undefined ? {} : { fee }) };
        const got = await poolQuote(pool, amount);
        const bps = ((expected - got) * 10_000n) / expected;
        // Little more than the pool's fee.
        expect(bps, `${symbols.join()} ${fee}`).toBeGreaterThanOrEqual(
          fee === undefined ? 29n : BigInt(fee) / 100n - 1n,
        );
        expect(bps, `${symbols.join()} ${fee}`).toBeLessThanOrEqual(
          (fee === undefined ? 30n : BigInt(fee) / 100n) + 5n,
        );
      }
    }
  });

  it.each([
    ['a pair', undefined],
    ['a pool', 3_000],
  ])('can be moved, drained and filled by a test: %s', async (_, fee) => {
    const pool: PoolOf = { chain: world.b, symbols: ['GOV', fee === undefined ? 'WETH' : 'USDC'], ...(fee && { fee }) };
    const much = parseEther('1000');
    const before = await poolQuote(pool, much);
    await movePool(pool, parseEther('100000'));
    const moved = await poolQuote(pool, much);
    expect(moved).toBeLessThan((before * 99n) / 100n);
    await removeLiquidity(pool, 900n);
    const thin = await poolQuote(pool, much);
    expect(thin).toBeLessThan(moved);
    await addLiquidity(pool, [parseEther('1000000'), fee === undefined ? parseEther('2500') : usd('5000000')]);
    expect(await poolQuote(pool, much)).toBeGreaterThan(thin);
  });
});

describe('native coin and what wraps it, on one chain', () => {
  const played = async (order: Order, type: string) => {
    expect(order.quote.details).toMatchObject({ operation: type });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    expect(await order.to.balance(order.recipient, order.output)).toBe(order.amountOut);
    const { requests } = await world.rest.requests({ requestType: type, chainId: order.from.id, limit: 50 });
    expect(requests.map(({ id }) => id)).toContain(order.requestId);
  };

  it('are turned into each other from inventory, one for one but for the fees', async () => {
    const { a } = world;
    const wrap = await world.order({ from: a, to: a, input: 'ETH', output: 'WETH', amount: parseEther('0.5') });
    await played(wrap, 'wrap');
    const unwrap = await world.order({ from: a, to: a, input: 'WETH', output: 'ETH', amount: parseEther('0.5') });
    await played(unwrap, 'unwrap');
    for (const { amountOut } of [wrap, unwrap]) {
      expect(amountOut).toBeGreaterThan(parseEther('0.499'));
      expect(amountOut).toBeLessThan(parseEther('0.5'));
    }
  });

  it('are delivered exactly where that is asked', async () => {
    const { b } = world;
    const asked = { from: b, to: b, tradeType: 'EXACT_OUTPUT', amount: parseEther('0.2') } as const;
    for (const [input, output, type] of [
      ['ETH', 'WETH', 'wrap'],
      ['WETH', 'ETH', 'unwrap'],
    ] as const) {
      const order = await world.order({ ...asked, input, output });
      await played(order, type);
      expect(order.amountOut).toBe(parseEther('0.2'));
    }
  });

  it('leave all books right', async () => {
    expect(await world.verdict()).toEqual([]);
  });
});
