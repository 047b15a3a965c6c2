import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LegCheck } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

let scene: Scene;
let body: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
  await scene.sees([scene.deposit(body, 'a')]);
});

afterEach(async () => {
  await scene.close();
});

const KEY = 'filler:0';
const REFUND = legId.refund('901:a:0');
const ALREADY: LegCheck = { ok: false, kind: 'refused', reason: 'ORDER_ALREADY_FILLED', message: 'AlreadyFilled()' };

async function held(): Promise<void> {
  expect(await scene.request(body)).toMatchObject({
    status: 'failure',
    failReason: 'ORDER_ALREADY_FILLED',
    refundFailReason: 'MANUAL_REFUND_REQUIRED',
  });
  expect((await scene.leg(legId.fill(body.orderId)))?.state).toBe('held');
  expect(await scene.store.holds('open')).toMatchObject([{ chainId: 901, currency: 'coin-901', amount: 100_000n }]);
  expect([...scene.alerts].some((id) => id.startsWith('filled-unknown'))).toBe(true);
  await scene.finalises(150);
  scene.now += 10_000_000;
  await scene.pays(scene.origin);
  await scene.pays(scene.destination);
  expect(scene.origin.prepared).toEqual([]);
  expect(await scene.leg(REFUND)).toBeUndefined();
  await scene.idle();
  expect((await scene.depositRow({ fundingKey: '901:a:0' })).collectable).toBe(0n);
}

describe('an order that the chain calls filled and this ledger does not', () => {
  it('is held when the fill is refused before it is signed', async () => {
    scene.destination.checkAnswer = () => ALREADY;
    await scene.settles(scene.destination);
    expect(scene.destination.prepared).toEqual([]);
    await held();
  });

  it('is held when our own fill reverts for it', async () => {
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501, { ok: false, final: true });
    const evidence = scene.destination.evidence.get(KEY);
    if (evidence?.state !== 'spent' || !evidence.failure) throw new Error('unreachable');
    scene.destination.evidence.set(KEY, {
      ...evidence,
      failure: { ...evidence.failure, reason: 'ORDER_ALREADY_FILLED' },
    });
    await scene.tracks(scene.destination);
    await held();
  });
});

describe('a key that something else spent', () => {
  beforeEach(async () => {
    await scene.settles(scene.destination);
    scene.destination.evidence.set(KEY, { state: 'spentByOther', final: false });
  });

  async function leftAlone(): Promise<void> {
    await scene.tracks(scene.destination);
    expect((await scene.request(body)).status).toBe('submitted');
    expect((await scene.leg(legId.fill(body.orderId)))?.state).toBe('bound');
    expect(await scene.leg(REFUND)).toBeUndefined();
  }

  it('proves nothing until that is final', async () => {
    await leftAlone();
    expect(scene.alerts.size).toBe(0);
  });

  it('takes an inclusion back at once, and nothing more', async () => {
    scene.destination.lands(KEY, 501);
    await scene.tracks(scene.destination);
    expect(await scene.pot('#reserved:902:filler:coin-902')).toBe(0n);
    scene.destination.evidence.set(KEY, { state: 'spentByOther', final: true });
    scene.destination.unfilled = false;
    await scene.tracks(scene.destination);
    expect(await scene.pot('#reserved:902:filler:coin-902')).toBe(99_000n);
    expect((await scene.request(body)).status).toBe('success');
    expect(await scene.leg(REFUND)).toBeUndefined();
  });

  it('leads to a refund once the order is proven unfilled permanently', async () => {
    scene.destination.evidence.set(KEY, { state: 'spentByOther', final: true });
    scene.destination.unfilled = false;
    await leftAlone();
    expect(scene.alerts.has('foreign:902:filler')).toBe(true);
    scene.destination.unfilled = new Error('no provider');
    await leftAlone();
    scene.destination.unfilled = true;
    await scene.tracks(scene.destination);
    expect(await scene.request(body)).toMatchObject({ status: 'failure', failReason: 'TRANSACTION_NOT_INCLUDED' });
    expect((await scene.leg(REFUND))?.state).toBe('blocked');
    await scene.finalises(150);
    await scene.idle();
  });

  it('is held when it turns out that the order was filled', async () => {
    scene.destination.evidence.set(KEY, { state: 'spentByOther', final: true });
    scene.destination.unfilled = false;
    scene.destination.checkAnswer = () => ALREADY;
    await scene.tracks(scene.destination);
    await held();
  });
});

describe('a signer whose chain is ahead of the ledger', () => {
  it('halts its lane: nothing is signed, and nothing is abandoned either', async () => {
    scene.destination.position = '1';
    await openLane(scene.context, scene.destination, SIGNER);
    expect((await scene.store.lane(902, SIGNER))?.halted).toContain('past the ledger');
    scene.now = body.deadlineAt + 60_000;
    await scene.pays(scene.destination);
    expect(scene.destination.prepared).toEqual([]);
    expect((await scene.leg(legId.fill(body.orderId)))?.state).toBe('owed');
    expect(await scene.leg(REFUND)).toBeUndefined();
    scene.errors.length = 0;
  });
});
