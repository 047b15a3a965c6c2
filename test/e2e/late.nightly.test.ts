import { parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tuning } from '../support/config.js';
import { sleep } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { World } from '../support/world.js';

let world: World;

const VALIDITY_MS = 1_500;
const TUNING: Tuning = { quoteValidityMs: VALIDITY_MS, orderTtl: '20s' };

beforeAll(async () => {
  world = await World.start(TUNING);
});

afterAll(async () => {
  await world?.close();
});

/** Past the quote's validity by the chain's clock, which has whole seconds and lags by at most one. */
const untilLate = () => sleep(VALIDITY_MS + 2_100);

describe('a deposit past the validity of its quote', () => {
  it('is filled at the price of the day when at least the minimum comes out', async () => {
    const order = await world.order({ amount: parseEther('1') });
    await untilLate();
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    expect(await world.b.balance(order.recipient, 'ETH')).toBeGreaterThanOrEqual(order.minimumOut);
  });

  it('is refunded with SLIPPAGE when less comes out', async () => {
    const order = await world.order({ output: 'USDC', amount: parseEther('1') });
    await world.service.stop();
    // Static prices change with the config.
    world.configure({ ...TUNING, prices: { ether: '1900' } });
    await world.boot();
    await untilLate();
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'refund', { mining: true });
    expect(status.failReason).toBe('SLIPPAGE');
    expect(await world.a.balance(order.refundTo, 'ETH')).toBeGreaterThan(parseEther('0.9'));
    expect(await world.b.balance(order.recipient, 'USDC')).toBe(0n);
  });

  it('is refunded with TTL_EXPIRED past the time to live that the client asked for', async () => {
    const order = await world.order({ amount: parseEther('1'), body: { ttl: 1 } });
    await untilLate();
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'refund', { mining: true });
    expect(status.failReason).toBe('TTL_EXPIRED');
    expect(await world.a.balance(order.refundTo, 'ETH')).toBeGreaterThan(parseEther('0.9'));
  });

  it('is refunded with ORDER_EXPIRED past the deadline of the order', async () => {
    const order = await world.order({ amount: parseEther('1') });
    // The chain's clock decides the deadline and never goes back: keep this test last on this chain.
    await world.a.passTime(3_600);
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'refund', { mining: true });
    expect(status.failReason).toBe('ORDER_EXPIRED');
    expect(await world.a.balance(order.refundTo, 'ETH')).toBeGreaterThan(parseEther('0.9'));
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
