import { parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tuning } from '../support/config.js';
import { until } from '../support/until.js';
import { depositDirectly, pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

let world: World;

/** No collects: they would reach the crash points first. */
const TUNING: Tuning = { collectMinUsd: '1000000000' };

beforeAll(async () => {
  world = await World.prepare(TUNING);
});

afterAll(async () => {
  await world?.close();
});

async function serving(): Promise<void> {
  if (world.service?.alive !== true) await world.boot();
}

async function doomed(point: string): Promise<void> {
  await world.service?.stop();
  await world.boot({ CAUSEWAY_CRASH_AT: point });
}

async function crashed(): Promise<void> {
  const exit = await world.service.end('at the crash point', 15_000);
  expect(exit).toEqual({ code: null, signal: 'SIGKILL' });
}

async function filledOnce(order: Order): Promise<void> {
  await world.becomes(order, 'success', { mining: true });
  await settled();
  expect(await world.b.balance(order.recipient, order.output)).toBe(order.amountOut);
}

/** No open work, so that the next service reaches its crash point only by new work. */
async function settled(): Promise<void> {
  await until('nothing is under way', async () => {
    await world.finalise();
    const { unsettled, lanes } = await world.rest.audit();
    return unsettled === 0 && lanes.every(({ openKeys }) => openKeys === 0);
  });
}

/**
 * In the order of a fill's life; the kill matrix has all points. Other work may reach a point first, which is
 * equivalent: the state after the restart counts.
 */
const POINTS = ['chain.sign.after', 'store.engine.settle.sign.after', 'chain.send.after', 'store.engine.track.after'];

describe.each(POINTS)('kill -9 at %s', (point) => {
  it('and a restart fill the order exactly once', async () => {
    await doomed(point);
    const order = await world.order({ input: 'USDC', amount: parseUnits('100', 6) });
    await pay(order.from, order.user, order.quote);
    await crashed();
    await world.boot();
    await filledOnce(order);
  });
});

describe.each(['store.engine.settle.sign.after', 'chain.send.after'])('kill -9 at %s of a refund', (point) => {
  it('and a restart refund exactly once', async () => {
    await doomed(point);
    const order = await world.order({ input: 'USDC', amount: parseUnits('1000', 6) });
    await depositDirectly(world.a, order.user, { symbol: 'USDC', amount: parseUnits('400', 6), id: order.orderId });
    await world.finalise();
    await crashed();
    await world.boot();
    await world.becomes(order, 'refund', { mining: true });
    await settled();
    const back = await world.a.balance(order.refundTo, 'USDC');
    expect(back).toBeGreaterThan(parseUnits('390', 6));
    expect(back).toBeLessThan(parseUnits('400', 6));
  });
});

describe('kill -9 by anyone', () => {
  it('before the deposit: it is found and filled after the restart', async () => {
    await serving();
    const order = await world.order({ amount: parseEther('1') });
    await world.service.kill();
    await pay(order.from, order.user, order.quote);
    await world.a.mine(2);
    await world.boot();
    await filledOnce(order);
  });

  it('while the fill waits in the pool: the same transaction lands, no other', async () => {
    await serving();
    await world.b.manual();
    const order = await world.order({ amount: parseEther('1') });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'submitted');
    const { txHashes } = await world.rest.status(order.requestId);
    await world.service.kill();
    await world.boot();
    await world.b.automatic();
    await filledOnce(order);
    expect((await world.rest.status(order.requestId)).txHashes).toEqual(txHashes);
  });

  it('while the fill waits, which then lands without us: it is recognised, not repeated', async () => {
    await serving();
    await world.b.manual();
    const order = await world.order({ amount: parseEther('1') });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'submitted');
    await world.service.kill();
    await world.b.automatic();
    await until('the fill lands', async () => (await world.b.balance(order.recipient, 'ETH')) > 0n);
    await world.boot();
    await filledOnce(order);
  });

  it('twice, the second time while it recovers', async () => {
    await doomed('store.engine.settle.sign.after');
    const order = await world.order({ amount: parseEther('1') });
    await pay(order.from, order.user, order.quote);
    await crashed();
    await world.boot({ CAUSEWAY_CRASH_AT: 'chain.send.before' }).catch(() => {});
    await crashed();
    await world.boot();
    await filledOnce(order);
  });
});

describe.each(['store.engine.settle.sign.after', 'chain.send.after'])('kill -9 at %s of a collect', (point) => {
  it('and a restart move the deposits into inventory once', async () => {
    await serving();
    const order = await world.order({ input: 'USDC', amount: parseUnits('100', 6) });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    await world.service.kill();
    await world.finalise();
    world.configure({ collectMinUsd: '1' });
    await world.boot({ CAUSEWAY_CRASH_AT: point }).catch(() => {});
    await crashed();
    await world.boot();
    await until('everything is collected', async () => {
      await world.finalise();
      return (await world.a.balance(world.a.depository, 'USDC')) === 0n;
    });
    await world.finalise();
    await world.service.stop();
    world.configure(TUNING);
  });
});

describe('a polite stop', () => {
  it('drains: what is in flight is recorded, nothing is lost', async () => {
    await serving();
    const orders = [];
    for (let i = 0; i < 5; i += 1) orders.push(await world.order({ amount: parseEther('0.2') }));
    await Promise.all(orders.map((order) => pay(order.from, order.user, order.quote)));
    expect(await world.service.stop()).toEqual({ code: 0, signal: null });
    await world.boot();
    for (const order of orders) await filledOnce(order);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
