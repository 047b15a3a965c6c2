import { afterEach, beforeEach, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

const DAYS = 86_400_000;

let scene: Scene;
let body: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
  scene.now = body.deadlineAt + 31 * DAYS;
  await scene.store.prune(scene.now);
  expect(await scene.store.quote(body.requestId)).toBeUndefined();
  expect(await scene.store.tombstonesByOrder([body.orderId])).toHaveLength(1);
});

afterEach(async () => {
  await scene.close();
});

const late = (name: string) => scene.deposit(body, name, { block: { height: 101, id: 'late', timestamp: scene.now } });

it('pays a transfer for an order that is long forgotten back to the recipient that was fixed for it', async () => {
  await scene.sees([late('a')]);
  expect(await scene.request(body)).toMatchObject({ orderId: body.orderId, failReason: 'ORDER_EXPIRED' });
  expect(await scene.leg(legId.refund('901:a:0'))).toMatchObject({
    recipient: body.refundRecipient,
    reason: 'ORDER_EXPIRED',
    covers: 100_000n,
  });
  expect(await scene.leg(legId.fill(body.orderId))).toBeUndefined();
});

it('refunds a second one as a duplicate, in the same batch or later', async () => {
  await scene.sees([late('a'), late('b')]);
  await scene.sees([late('c')]);
  for (const name of ['b', 'c']) {
    expect(await scene.leg(legId.refund(`901:${name}:0`))).toMatchObject({
      recipient: body.refundRecipient,
      reason: 'DOUBLE_SPEND',
    });
    expect((await scene.requestOf({ fundingKey: `901:${name}:0` })).parentRequestId).toBe(body.requestId);
  }
});

it('does so for one that was in time and is seen only now, whose terms no one knows any more', async () => {
  const block = { height: 101, id: 'old', timestamp: body.expiresAt - 1 };
  await scene.sees([scene.deposit(body, 'a', { block })]);
  expect(await scene.leg(legId.refund('901:a:0'))).toMatchObject({
    recipient: body.refundRecipient,
    reason: 'ORDER_EXPIRED',
  });
});

it('refunds nothing while a lane is halted that may have filled it, on whichever chain that was', async () => {
  scene.destination.position = '2';
  await openLane(scene.context, scene.destination, SIGNER);
  await scene.sees([late('a')]);
  await scene.finalises(150);
  await scene.pays(scene.origin);
  expect(scene.origin.prepared).toEqual([]);
  scene.destination.position = '0';
  await openLane(scene.context, scene.destination, SIGNER);
  scene.now += 20_000;
  await scene.pays(scene.origin);
  expect(scene.origin.prepared.map(({ legs }) => legs[0]?.legId)).toEqual([legId.refund('901:a:0')]);
  scene.errors.length = 0;
});

it('refunds a deposit that comes hours late for a quote without a key to the refund recipient of the quote', async () => {
  const HOUR = 3_600_000;
  const anonymous = await scene.quote(2);
  const { lifeMs } = scene.context.policy.anonymousQuotes;
  scene.now = anonymous.deadlineAt + lifeMs;
  await scene.store.prune(scene.now, lifeMs);
  expect(await scene.store.quote(anonymous.requestId), 'kept to the last moment').toBeDefined();
  scene.now += 1;
  await scene.store.prune(scene.now, lifeMs);
  expect(await scene.store.quote(anonymous.requestId)).toBeUndefined();
  scene.now += HOUR;
  const block = { height: 101, id: 'late', timestamp: scene.now };
  await scene.sees([scene.deposit(anonymous, 'z', { block })]);
  expect(await scene.request(anonymous)).toMatchObject({ orderId: anonymous.orderId, failReason: 'ORDER_EXPIRED' });
  expect(await scene.leg(legId.refund('901:z:0'))).toMatchObject({
    recipient: anonymous.refundRecipient,
    covers: 100_000n,
  });
});
