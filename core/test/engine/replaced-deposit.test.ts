import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import { NOW } from './support/quotes.js';
import { Scene } from './support/scene.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

type Body = Awaited<ReturnType<Scene['quote']>>;

const waiting = { state: 'mempool' as const, block: null };
const unknown = { state: 'vanished' as const, block: null, amount: 0n, currency: '', depositor: '', orderId: null };
/** A rival in block 101 spends its input. */
const vanished = { ...unknown, rival: { hash: 'rival', block: { height: 101, id: 'a-101', timestamp: NOW } } };

async function statuses(): Promise<string[]> {
  const rows = await scene.store.events(0, 100);
  return rows.map(({ payload }) => (JSON.parse(payload) as { data: { status: string } }).data.status);
}

async function sighted(): Promise<Body> {
  const body = await scene.quote(1);
  await scene.sees([scene.deposit(body, 'a', waiting)]);
  expect(await scene.request(body)).toMatchObject({ status: 'pending', fundingKey: '901:a:0' });
  return body;
}

describe('a waiting deposit that another one of the same order takes the place of', () => {
  it.each(['included', 'mempool'] as const)('hands the order over without a failure (%s)', async (state) => {
    const body = await sighted();
    const heir = scene.deposit(body, 'b', state === 'mempool' ? waiting : {});
    await scene.sees([scene.deposit(null, 'a', vanished), heir]);
    expect(await scene.request(body)).toMatchObject({ status: 'pending', failReason: null, fundingKey: '901:b:0' });
    if (state === 'mempool') await scene.sees([scene.deposit(body, 'b')]);
    await scene.settles(scene.destination);
    scene.destination.lands('filler:0', 501, { final: true });
    await scene.tracks(scene.destination);
    expect(await scene.request(body)).toMatchObject({ status: 'success' });
    expect(await statuses()).toEqual(['pending', 'submitted', 'success']);
    expect((await scene.depositRow({ fundingKey: '901:a:0' })).state).toBe('vanished');
    expect(await scene.pot('depository:901:coin-901')).toBe(100_000n);
  });

  it('gets nothing back when it lands after all: it is the duplicate then', async () => {
    const body = await sighted();
    await scene.sees([scene.deposit(null, 'a', vanished), scene.deposit(body, 'b')]);
    await scene.settles(scene.destination);
    // A reorg lets the first win after the second's fill.
    await scene.sees([scene.deposit(body, 'a', { block: { height: 103, id: 'x', timestamp: scene.now } })], {
      rewoundTo: 100,
    });
    const child = await scene.requestOf({ fundingKey: '901:a:0' });
    expect([child.id === body.requestId, child.parentRequestId]).toEqual([false, body.requestId]);
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ fundingKey: '901:b:0' });
  });

  it('hands the order over to one that comes blocks later', async () => {
    const body = await sighted();
    await scene.sees([scene.deposit(null, 'a', vanished)]);
    expect(await scene.request(body)).toMatchObject({ status: 'pending', fundingKey: '901:a:0' });
    await scene.sees([scene.deposit(body, 'b', { block: { height: 103, id: 'a-103', timestamp: NOW } })]);
    await scene.finalises(101);
    expect(await scene.request(body)).toMatchObject({ status: 'pending', failReason: null, fundingKey: '901:b:0' });
    expect((await scene.depositRow({ fundingKey: '901:a:0' })).state).toBe('vanished');
    expect(await statuses()).toEqual(['pending']);
  });

  it('does not when the other one is of another currency', async () => {
    scene.origin.token = 'token';
    const body = await sighted();
    const other = scene.deposit(body, 'b', { currency: 'token' });
    await scene.sees([scene.deposit(null, 'a', vanished), other]);
    expect((await scene.requestOf(other)).parentRequestId).toBe(body.requestId);
    await scene.finalises(101);
    expect(await scene.request(body)).toMatchObject({ status: 'failure', failReason: 'DOUBLE_SPEND' });
  });

  it('was confirmed: then it fails, no matter who comes with it', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.sees([scene.deposit(null, 'a', unknown), scene.deposit(body, 'b')]);
    expect(await statuses()).toEqual(['pending', 'failure', 'pending']);
    expect(await scene.request(body)).toMatchObject({ status: 'pending', fundingKey: '901:b:0' });
  });
});
