import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sleep, until } from '../support/until.js';
import { depositDirectly, pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

let world: World;

beforeAll(async () => {
  world = await World.start({ collectMinUsd: '1000000000' });
});

afterAll(async () => {
  await world?.close();
});

const AMOUNT = parseEther('0.5');

async function snapshot(name: string): Promise<void> {
  await world.service.kill();
  cpSync(join(world.home.dir, 'data'), join(world.home.dir, name), { recursive: true });
}

async function restore(name: string): Promise<void> {
  await world.service.kill();
  rmSync(join(world.home.dir, 'data'), { recursive: true });
  cpSync(join(world.home.dir, name), join(world.home.dir, 'data'), { recursive: true });
}

async function positions(): Promise<readonly number[]> {
  const { address } = world.keys.fill;
  return Promise.all(world.chains.map((chain) => chain.client.getTransactionCount({ address })));
}

async function delivered(order: Order): Promise<bigint> {
  return world.b.balance(order.recipient, 'ETH');
}

async function refunded(order: Order): Promise<bigint> {
  return world.a.balance(order.refundTo, 'ETH');
}

async function underpay(order: Order): Promise<void> {
  await depositDirectly(world.a, order.user, { symbol: 'ETH', amount: AMOUNT / 2n, id: order.orderId });
}

describe('a database of a minute ago, restored while requests are in every stage', () => {
  it('sends nothing a second time, refunds nothing that was filled, and goes on by itself', async () => {
    const unpaid = await world.order({ amount: AMOUNT });
    const underpaidLater = await world.order({ amount: AMOUNT });
    const done = await world.order({ amount: AMOUNT });
    await pay(done.from, done.user, done.quote);
    await world.becomes(done, 'success');
    const owed = await world.order({ amount: AMOUNT });
    await underpay(owed);
    await world.becomes(owed, 'pending');
    await world.b.manual();
    const waiting = await world.order({ amount: AMOUNT });
    await pay(waiting.from, waiting.user, waiting.quote);
    await world.becomes(waiting, 'submitted');
    await snapshot('minute-ago');

    await world.boot();
    await world.b.automatic();
    await world.becomes(waiting, 'success');
    await pay(unpaid.from, unpaid.user, unpaid.quote);
    await world.becomes(unpaid, 'success');
    await underpay(underpaidLater);
    await world.becomes(underpaidLater, 'refund', { mining: true });
    await world.becomes(owed, 'refund', { mining: true });
    const unheardOf = await world.order({ amount: AMOUNT });
    await pay(unheardOf.from, unheardOf.user, unheardOf.quote);
    await world.becomes(unheardOf, 'success');
    for (const chain of world.chains) await chain.passTime(60);
    const fresh = await world.order({ amount: AMOUNT });
    await pay(fresh.from, fresh.user, fresh.quote);
    await world.becomes(fresh, 'success');
    await restore('minute-ago');

    const sent = await positions();
    const filled = [unpaid, done, waiting, unheardOf, fresh];
    const refundedOrders = [underpaidLater, owed];
    const before = await Promise.all(refundedOrders.map(refunded));
    await world.boot();
    for (let block = 0; block < 12; block += 1) {
      await world.finalise();
      await sleep(300);
    }
    expect(await positions()).toEqual(sent);
    for (const order of filled) expect([await delivered(order), await refunded(order)]).toEqual([order.amountOut, 0n]);
    expect(await Promise.all(refundedOrders.map(refunded))).toEqual(before);

    // The service recovers alone: new orders are filled and refunded as usual.
    const next = await until('a quote is given', () => world.order({ amount: AMOUNT }));
    await pay(next.from, next.user, next.quote);
    await world.becomes(next, 'success', { mining: true, ms: 30_000 });
    const last = await world.order({ amount: AMOUNT });
    await underpay(last);
    await world.becomes(last, 'refund', { mining: true, ms: 30_000 });
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
