import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DepositObservation } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { refundRequest } from '../../src/engine/operator/refund-request.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { quoteBody } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

/** A sent fill's transfer vanishes, and another takes over its order. */
let scene: Scene;
let body: QuoteBody;

const KEY = 'filler:0';
const UNFINAL = '#unfinal:901:coin-901';

beforeEach(async () => {
  scene = await Scene.open();
  scene.origin.depth = 3;
  // Equal charges for late and timely payments.
  scene.origin.gasCost = 0n;
  scene.destination.gasCost = 0n;
  body = await scene.quote(1, { terms: { ...quoteBody(1).terms, outUsd: '1.0' } });
  await scene.sees([transfer('a', 101)]);
  await deeper();
  await scene.settles(scene.destination);
  expect(scene.destination.prepared).toHaveLength(1);
});

afterEach(async () => {
  await scene.close();
});

function transfer(name: string, height: number): DepositObservation {
  return scene.deposit(body, name, { block: { height, id: `${name}-${height}`, timestamp: scene.now } });
}

async function deeper(): Promise<void> {
  for (let n = 0; n < 4; n += 1) await scene.sees([]);
}

async function taken(): Promise<void> {
  await scene.sees([transfer('b', 120)], { rewoundTo: 100 });
  expect((await scene.request(body)).fundingKey).toBe('901:b:0');
}

const fillState = async () => (await scene.leg(legId.fill(body.orderId)))?.state;

describe("an operator's refund", () => {
  beforeEach(async () => {
    // Late and without a price: undecided.
    scene.now = body.expiresAt + 5_000;
    await taken();
    Object.assign(scene.context, { prices: { price: () => ({ ok: false, why: 'stale' }) } });
    await scene.finalises(150);
    expect(await scene.depositRow({ fundingKey: '901:b:0' })).toMatchObject({ state: 'final', decision: 'waiting' });
  });

  it('is refused while the fill that was sent for the first transfer may land, and once it has', async () => {
    expect(await refundRequest(scene.context, body.requestId)).toMatchObject({ ok: false, code: 'notSafe' });
    scene.destination.lands(KEY, 501, { final: true });
    await scene.tracks(scene.destination);
    expect(await fillState()).toBe('done');
    expect(await refundRequest(scene.context, body.requestId)).toMatchObject({ ok: false, code: 'notApplicable' });
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
  });

  it('is made once that fill failed', async () => {
    scene.destination.lands(KEY, 501, { final: true, ok: false });
    await scene.tracks(scene.destination);
    expect(await fillState()).toBe('closed');
    expect(await refundRequest(scene.context, body.requestId)).toMatchObject({ ok: true, state: 'owed' });
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.map(({ legs }) => legs[0]?.legId)).toEqual([legId.refund('901:b:0')]);
  });
});

it('counts nothing for a duplicate whose fill failed while another transfer owned the order', async () => {
  expect(await scene.pot(UNFINAL)).toBe(100_000n);
  await taken();
  scene.destination.lands(KEY, 501, { final: true, ok: false });
  await scene.tracks(scene.destination);
  await deeper();
  await scene.sees([transfer('a', 126)]);
  expect((await scene.depositRow({ fundingKey: '901:a:0' })).requestId).not.toBe(body.requestId);
  await scene.finalises(150);
  expect(await scene.pot(UNFINAL)).toBe(0n);
});

it('neither refunds nor settles twice what is held because another account filled the order', async () => {
  await taken();
  scene.destination.unfilled = false;
  scene.destination.paid.set(legId.fill(body.orderId), {
    ...{ hash: '0xother', block: { height: 500, id: 'b', timestamp: 0 }, final: true, sender: 'stranger' },
    ...{ currency: scene.destination.coin, recipient: 'recipient', moved: 99_000n },
  });
  scene.destination.evidence.set(KEY, { state: 'spentByOther', final: true });
  await scene.tracks(scene.destination);
  expect(await fillState()).toBe('held');
  await deeper();
  await scene.sees([transfer('a', 130)]);
  await scene.finalises(150);
  await scene.pays(scene.origin);
  expect((await scene.store.holds('open')).map(({ fundingKey }) => fundingKey)).toEqual(['901:a:0']);
  const refundLegs = scene.origin.prepared.map(({ legs }) => legs[0]?.legId);
  expect(refundLegs).toEqual([legId.refund('901:b:0')]);
});

describe('a ledger that was restored', () => {
  it('takes one that its lost part may have refunded for the duplicate that it was then', async () => {
    await markRestored(scene.store, scene.now);
    const again = transfer('b', 120);
    await scene.sees([again], { rewoundTo: 100 });
    expect(await scene.request(body)).toMatchObject({ status: 'failure', fundingKey: '901:a:0' });
    expect((await scene.requestOf(again)).parentRequestId).toBe(body.requestId);
    await scene.finalises(150);
    const leg = legId.refund('901:b:0');
    scene.origin.paid.set(leg, {
      ...{ hash: '0xlost', block: { height: 121, id: 'lost', timestamp: scene.now }, final: true },
      ...{ sender: SIGNER, currency: scene.origin.coin, recipient: 'refund-recipient', moved: 100_000n },
    });
    await scene.pays(scene.origin);
    expect(await scene.leg(leg)).toMatchObject({ state: 'done' });
    expect(scene.origin.prepared).toEqual([]);
  });

  it('lets one take over that was paid in since', async () => {
    await markRestored(scene.store, scene.now);
    scene.now += 1;
    await taken();
  });
});
