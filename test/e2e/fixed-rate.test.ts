import { parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIXED_RATE, type Tuning } from '../support/config.js';
import { until } from '../support/until.js';
import { newAddress, pay } from '../support/wallet.js';
import { World } from '../support/world.js';

let world: World;

/** Long enough for a restart between a quote and its payment. */
const TUNING: Tuning = { quoteValidityMs: 60_000, fixedRateValidity: '60s' };

beforeAll(async () => {
  world = await World.start(TUNING);
});

afterAll(async () => {
  await world?.close();
});

/** Static prices change with the config; everything else is in the database. */
async function etherAt(usd: string): Promise<void> {
  await world.service.stop();
  world.configure({ ...TUNING, prices: { ether: usd } });
  await world.boot();
}

async function liquidity(symbol: string): Promise<bigint> {
  const { body } = await world.rest.call<{ liquidity: { symbol: string; balance: string }[] }>(
    'GET',
    `/chains/liquidity?chainId=${world.b.id}`,
  );
  return BigInt(body.liquidity.find((one) => one.symbol === symbol)?.balance ?? '0');
}

async function record(id: string) {
  const { body } = await world.rest.call<{ requests: { features: string[]; data: Record<string, unknown> }[] }>(
    'GET',
    `/requests/v3?id=${id}`,
    { key: world.rest.apiKey },
  );
  return body.requests[0];
}

const FIXED = { body: { fixedRate: '0' }, keyed: true } as const;

describe('a fixed rate', () => {
  it('is paid to the unit although the price halved and the service restarted in between', async () => {
    const before = await liquidity('USDC');
    const order = await world.order({ input: 'ETH', output: 'USDC', amount: parseEther('2'), ...FIXED });
    const plain = await world.order({ input: 'ETH', output: 'USDC', amount: parseEther('2') });
    expect(order.quote.details).toMatchObject({
      isFixedRate: true,
      fixedRateFee: { usd: expect.stringMatching(/^\d/) },
    });
    expect(plain.quote.details['isFixedRate']).toBe(false);
    expect(order.amountOut).toBeLessThan(plain.amountOut);
    const kept = () =>
      until('what is kept is not offered', async () => {
        const left = await liquidity('USDC');
        return left === before - order.amountOut ? left : undefined;
      });
    await kept();
    await etherAt('1000');
    await kept();
    for (const one of [order, plain]) await pay(one.from, one.user, one.quote);
    await world.becomes(order, 'success', { mining: true });
    expect(await world.b.balance(order.recipient, 'USDC')).toBe(order.amountOut);
    // A floating-rate quote is worth half by then.
    expect((await world.becomes(plain, 'refund', { mining: true })).failReason).toBe('SLIPPAGE');
    expect(await world.b.balance(plain.recipient, 'USDC')).toBe(0n);
    expect(await record(order.requestId)).toMatchObject({ features: ['fixed_rate'], status: 'success' });
    await etherAt('2000');
  });

  it('is kept from others, and given back when no one pays', async () => {
    world.configure({ ...TUNING, fixedRateValidity: '3s' });
    await world.service.stop();
    await world.boot();
    const before = await liquidity('USDC');
    const all = { input: 'USDC', amount: parseUnits(FIXED_RATE.maxHeldUsdPerKey, 6), ...FIXED } as const;
    const order = await world.order({ ...all, recipient: newAddress() });
    await until('it is kept', async () => (await liquidity('USDC')) === before - order.amountOut || undefined);
    await expect(world.order({ ...all, amount: parseUnits('1', 6) })).rejects.toThrow(/RATE_LIMITED/);
    await until('it is given back', async () => {
      await world.a.mine();
      return (await liquidity('USDC')) === before || undefined;
    });
    const again = await world.order({ ...all, amount: parseUnits('1000', 6) });
    await pay(again.from, again.user, again.quote);
    await world.becomes(again, 'success', { mining: true });
    expect(await world.b.balance(again.recipient, 'USDC')).toBe(again.amountOut);
  });

  it('is for callers with a key alone', async () => {
    const { status, body } = await world.rest.call<{ errorCode: string; errorData: unknown }>('POST', '/quote/v2', {
      body: {
        user: newAddress(),
        originChainId: world.a.id,
        destinationChainId: world.b.id,
        originCurrency: world.a.currency('USDC'),
        destinationCurrency: world.b.currency('USDC'),
        amount: '1000000',
        tradeType: 'EXACT_INPUT',
        fixedRate: '0',
      },
    });
    expect(status).toBe(401);
    expect(body).toMatchObject({ errorCode: 'UNAUTHORIZED', errorData: { field: 'fixedRate' } });
  });
});

it('leaves the chains as they were promised', async () => {
  expect(await world.verdict()).toEqual([]);
});
