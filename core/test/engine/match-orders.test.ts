import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DepositObservation } from '../../src/contract/deposits.js';
import { matchOrders } from '../../src/engine/deposits/match-orders.js';
import { Scene } from './support/scene.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

const ORDER = '0x01';
const OTHER = '0x02';

it('goes by the id that a transfer carries', async () => {
  const body = await scene.quote(1);
  const [named, nameless] = [scene.deposit(body, 'a'), scene.deposit(null, 'b', { orderId: null })];
  const matched = await matchOrders(scene.context, [named, nameless]);
  expect([...matched]).toEqual([[named.fundingKey, body.orderId]]);
});

it('asks each way only about what none before it matched, and no further than to the last transfer', async () => {
  const asked: string[][] = [];
  const by =
    (orders: Readonly<Record<string, `0x${string}`>>) => async (_: unknown, rest: readonly DepositObservation[]) => {
      asked.push(rest.map(({ fundingKey }) => fundingKey));
      return new Map(Object.entries(orders));
    };
  const [a, b] = [scene.deposit(null, 'a'), scene.deposit(null, 'b')];
  const ways = [by({ [a.fundingKey]: ORDER }), by({ [b.fundingKey]: OTHER }), by({ [a.fundingKey]: OTHER })];
  expect([...(await matchOrders(scene.context, [a, b], ways))]).toEqual([
    [a.fundingKey, ORDER],
    [b.fundingKey, OTHER],
  ]);
  expect(asked).toEqual([[a.fundingKey, b.fundingKey], [b.fundingKey]]);
});

it('passes on that an order could not be looked up', async () => {
  const fails = () => Promise.reject(new Error('the store is away'));
  await expect(matchOrders(scene.context, [scene.deposit(null, 'a')], [fails])).rejects.toThrow('the store is away');
});
