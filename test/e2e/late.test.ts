import { parseEther, parseGwei } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sleep, until } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { World } from '../support/world.js';

let world: World;

const VALIDITY_MS = 1_500;

beforeAll(async () => {
  world = await World.start({ quoteValidityMs: VALIDITY_MS, orderTtl: '20s' });
});

afterAll(async () => {
  await world?.close();
});

/** Past the quote's validity by the chain's clock, which has whole seconds and runs at most one behind. */
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
    const before = await world.order({ amount: parseEther('0.5'), body: { slippageTolerance: '10' } });
    // Gas on the destination becomes dear, which the payer of a new quote would bear.
    await world.b.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('50') });
    await world.b.mine();
    await until('new quotes cost more', async () => {
      await world.b.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('50') });
      await world.b.mine();
      const after = await world.order({ amount: parseEther('0.5'), user: before.user });
      return after.amountOut < before.minimumOut;
    });
    await untilLate();
    await pay(before.from, before.user, before.quote);
    const status = await world.becomes(before, 'refund', { mining: true });
    expect(status.failReason).toBe('SLIPPAGE');
    expect(await world.b.balance(before.recipient, 'ETH')).toBe(0n);
    await world.b.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
    await world.b.mine();
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
    // The deadline is judged by the chain's clock. This one never comes back: keep the test last on this chain.
    await world.a.passTime(3_600);
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'refund', { mining: true });
    expect(status.failReason).toBe('ORDER_EXPIRED');
    expect(await world.a.balance(order.refundTo, 'ETH')).toBeGreaterThan(parseEther('0.9'));
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
  });
});

describe('afterwards', () => {
  it('the chains tell of nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
