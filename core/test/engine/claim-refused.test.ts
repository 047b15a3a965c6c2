import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HoldRow, LegCheck } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import { claimMessage } from '../../src/domain/claim-message.js';
import { UnitOfWork } from '../../src/engine/base/unit-of-work.js';
import { claimHold } from '../../src/engine/operator/claim-hold.js';
import { holdNamed } from '../../src/engine/operator/hold-view.js';
import { noteForeign } from '../../src/engine/recovery/foreign-fills.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { DESTINATION, NOW } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER, signed } from './support/scripted-chain.js';

/** Holds that no depositor may claim: possibly paid already, or without an owner. */
let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open({ custodians: new Map([[901, new Map([['exchange', { needsMemo: true }]])]]) });
  scene.origin.paidByOne = false;
  scene.destination.paidByOne = false;
});

afterEach(async () => {
  await scene.close();
});

const KEY = '901:a:0';
const REFUND = legId.refund(KEY);
const ORDER = `0x${'99'.repeat(32)}` as const;

async function theHold(): Promise<HoldRow> {
  const [hold] = await scene.store.holds('open');
  if (!hold) throw new Error('nothing is held');
  return hold;
}

async function claims(by = 'depositor') {
  const hold = await theHold();
  // An unnamed currency cannot be signed.
  const words = hold.currency === '' ? { ...hold, currency: 'none' } : hold;
  const text = claimMessage({ service: 'solver', holdId: hold.id, ...words, recipient: 'mine' });
  return claimHold(scene.context, hold.id, 'mine', signed(by, text));
}

/** Refused, also in the preview; nothing is owed and no chain asked. */
async function refuses(code: 'notApplicable' | 'notSafe' = 'notApplicable', by?: string): Promise<void> {
  const before = await theHold();
  const [held] = await scene.store.legsOfDeposits([before.fundingKey]);
  expect(await claims(by)).toMatchObject({ ok: false, code });
  const seen = await holdNamed(scene.context, before.id, 'mine');
  if (code === 'notApplicable') expect(seen).toMatchObject({ hold: { claimable: false }, message: null });
  expect(await theHold()).toEqual(before);
  expect((await scene.store.legsOfDeposits([before.fundingKey]))[0]).toEqual(held);
  expect([...scene.origin.ownAsked, ...scene.destination.ownAsked]).toEqual([]);
}

async function orphan(change: object = {}): Promise<void> {
  await scene.sees([scene.deposit(null, 'a', change)]);
  await scene.finalises(150);
  await scene.pays(scene.origin);
}

const refusing = (reason: 'ORDER_ALREADY_FILLED' | 'EXECUTION_REVERTED' | 'INVALID_SIGNER'): LegCheck => ({
  ok: false,
  kind: 'refused',
  reason,
  message: 'no',
});

describe('a depositor may not claim', () => {
  it('a fill whose order something unknown filled', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.finalises(150);
    scene.destination.checkAnswer = () => refusing('ORDER_ALREADY_FILLED');
    await scene.settles(scene.destination);
    expect((await scene.leg(legId.fill(body.orderId)))?.state).toBe('held');
    await refuses();
  });

  it('a fill that landed and could not be read', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.pays(scene.destination);
    scene.destination.lands('filler:0', 501, { final: true });
    const landed = scene.destination.evidence.get('filler:0');
    if (landed?.state === 'spent') scene.destination.evidence.set('filler:0', { ...landed, effects: [] });
    await scene.tracks(scene.destination);
    expect((await scene.leg(legId.fill(body.orderId)))?.reason).toBe('unread');
    await refuses();
    scene.errors.length = 0;
  });

  it('a refund that landed and could not be read', async () => {
    scene.origin.paidByOne = true;
    await orphan();
    scene.origin.lands('filler:0', 151, { final: true });
    const landed = scene.origin.evidence.get('filler:0');
    if (landed?.state === 'spent') scene.origin.evidence.set('filler:0', { ...landed, effects: [] });
    await scene.tracks(scene.origin);
    expect((await scene.leg(REFUND))?.reason).toBe('unread');
    await refuses();
    scene.errors.length = 0;
  });

  it('a refund that failed too often', async () => {
    scene.origin.paidByOne = true;
    await scene.sees([scene.deposit(null, 'a')]);
    await scene.finalises(150);
    for (const n of [0, 1, 2]) {
      await scene.pays(scene.origin);
      scene.origin.lands(`filler:${n}`, 160 + n, { final: true, ok: false });
      await scene.tracks(scene.origin);
      scene.now += 60_000;
    }
    expect((await scene.leg(REFUND))?.state).toBe('held');
    await refuses();
  });

  it.each([
    ['failed', (key: string) => scene.origin.lands(key, 160, { final: true, ok: false })],
    ['never landed', (key: string) => scene.origin.evidence.set(key, { state: 'spentByOther', final: true })],
  ])('a refund that was sent once and %s, before its payer was in doubt', async (_, ends) => {
    scene.origin.paidByOne = true;
    await orphan();
    ends('filler:0');
    await scene.tracks(scene.origin);
    expect((await scene.leg(REFUND))?.state).toBe('owed');
    scene.origin.paidByOne = false;
    scene.now += 60_000;
    await scene.pays(scene.origin);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'held', reason: 'MANUAL_REFUND_REQUIRED' });
    await refuses();
  });

  it('one of a custodian that was sent once', async () => {
    scene.origin.paidByOne = true;
    await orphan();
    scene.origin.lands('filler:0', 160, { final: true, ok: false });
    await scene.tracks(scene.origin);
    Object.assign(scene.context.policy, {
      custodians: new Map([[901, new Map([['depositor', { needsMemo: true }]])]]),
    });
    scene.now += 60_000;
    await scene.pays(scene.origin);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'held', reason: 'REFUND_RECIPIENT_IS_VASP' });
    await refuses();
  });

  it('one that the chain refuses, in whatever words', async () => {
    scene.origin.paidByOne = true;
    scene.origin.checkAnswer = () => refusing('INVALID_SIGNER');
    await orphan();
    expect((await theHold()).reason).toBe('MANUAL_REFUND_REQUIRED');
    await refuses();
  });

  it('what is too low', async () => {
    scene.origin.gasCost = 200_000n;
    await orphan();
    expect((await theHold()).reason).toBe('AMOUNT_TOO_LOW_TO_REFUND');
    await refuses();
  });

  it('what no one can price', async () => {
    const body = await scene.quote(1, { forceRefund: true });
    Object.assign(scene.context.prices, { price: () => ({ ok: false, why: 'unknown' }) });
    scene.origin.token = 'token';
    const token = { currency: 'token', depositor: 'depositor' };
    await scene.sees([scene.deposit(body, 'a', token)]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect((await theHold()).reason).toBe('MANUAL_REFUND_REQUIRED');
    await refuses();
  });

  it('what an order names the recipient of', async () => {
    const body = await scene.quote(1, { forceRefund: true });
    scene.origin.checkAnswer = () => refusing('EXECUTION_REVERTED');
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'held', recipient: 'refund-recipient' });
    await refuses();
  });

  it('an excess', async () => {
    const body = await scene.quote(1);
    scene.origin.checkAnswer = () => refusing('EXECUTION_REVERTED');
    await scene.sees([scene.deposit(body, 'a', { amount: 150_000n })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect((await scene.leg(legId.excess(KEY)))?.state).toBe('held');
    await refuses();
  });

  it('what was paid in before the ledger was restored, for an order that it does not have', async () => {
    scene.now += 1_000;
    await markRestored(scene.store, scene.now);
    await orphan({ orderId: ORDER });
    expect((await scene.requestOf({ fundingKey: KEY })).failReason).toBe('ORDER_ALREADY_FILLED');
    await refuses();
  });

  it('what the lost part of a ledger refunded under another leg', async () => {
    scene.now += 1_000;
    await markRestored(scene.store, scene.now);
    const block = { height: 140, id: 'b', timestamp: scene.now };
    const paid = { hash: '0xlost', block, final: true, sender: SIGNER, currency: scene.origin.coin };
    scene.origin.paid.set(legId.excess(KEY), { ...paid, recipient: 'x', moved: 1n });
    await orphan();
    expect((await scene.leg(REFUND))?.state).toBe('held');
    await refuses();
  });

  it('what could not be recorded', async () => {
    await scene.sees([scene.deposit(null, 'bad', { depositor: 'x'.repeat(4_000) })]);
    expect((await theHold()).reason).toBe('DEPOSIT_NOT_RECORDED');
    await refuses();
    scene.errors.length = 0;
  });

  it('what is in none of the pots', async () => {
    await scene.sees([scene.deposit(null, 's', { stray: true })]);
    expect((await theHold()).reason).toBe('NOT_IN_A_POT');
    await refuses();
  });

  it('what no one could read', async () => {
    const block = { height: 101, id: 'b', timestamp: scene.now };
    await scene.seesUnread([{ transactionHash: 't', block, why: 'version 7' }]);
    expect((await theHold()).reason).toBe('TRANSACTION_NOT_READ');
    await refuses();
  });
});

describe('a depositor may not claim any more', () => {
  it('what turns out to be of an order that was filled', async () => {
    const body = await scene.quote(1);
    const elsewhere = { chainId: DESTINATION, currency: 'coin-902', fundingKey: '902:x:0' };
    const block = { height: 505, id: 'b', timestamp: NOW };
    await scene.headWith(510, [scene.deposit(body, 'x', { ...elsewhere, state: 'final', block })]);
    await scene.pays(scene.destination);
    expect(await holdNamed(scene.context, (await theHold()).id)).toMatchObject({ hold: { claimable: true } });
    const unit = new UnitOfWork();
    await noteForeign(scene.context, unit, [{ hash: '0xlost', final: true, filled: [body.orderId] }], false);
    await scene.context.tenure.apply(unit.toChangeSet('test'));
    await refuses('notSafe');
  });

  it('what a ledger that lost sends may have paid, for an order that it does not have', async () => {
    await orphan({ orderId: ORDER });
    expect(await holdNamed(scene.context, (await theHold()).id)).toMatchObject({ hold: { claimable: true } });
    scene.now += 1_000;
    await markRestored(scene.store, scene.now);
    await refuses('notSafe');
  });

  it('what is noted to be filled while the chain is asked whose money it was', async () => {
    await orphan({ orderId: ORDER });
    scene.origin.isDepositorsMoney = async () => {
      scene.now += 1_000;
      await markRestored(scene.store, scene.now);
      return true;
    };
    expect(await claims()).toMatchObject({ ok: false, code: 'notSafe' });
    expect((await scene.leg(REFUND))?.state).toBe('held');
  });

  it('what its request says was filled', async () => {
    await orphan();
    const { id, version } = await scene.requestOf({ fundingKey: KEY });
    const set = { failReason: 'ORDER_ALREADY_FILLED' } as const;
    await scene.store.apply({
      name: 'test',
      changes: [{ op: 'update', table: 'requests', key: { id }, version, set }],
    });
    await refuses();
  });

  it('what the configuration proves the payer of by now', async () => {
    await orphan();
    scene.origin.facts = { ...scene.origin.facts, namesDepositors: true };
    await refuses();
  });

  it('what is on a chain that is not configured any more', async () => {
    await orphan();
    Object.assign(scene.context, { chains: new Map([[902, scene.destination]]) });
    await refuses();
  });
});

it('a claim that waits for a halted lane is paid only if its order was not filled', async () => {
  await orphan({ orderId: ORDER });
  scene.destination.position = '1';
  await openLane(scene.context, scene.destination, SIGNER);
  expect(await claims()).toMatchObject({ ok: true, state: 'owed' });
  await scene.pays(scene.origin);
  expect(scene.origin.prepared).toEqual([]);
  expect((await scene.leg(REFUND))?.state).toBe('owed');
  const unit = new UnitOfWork();
  await noteForeign(scene.context, unit, [{ hash: '0xlost', final: true, filled: [ORDER] }], false);
  const lane = (await scene.store.lanes()).find(({ chainId }) => chainId === DESTINATION);
  if (!lane) throw new Error('no lane');
  unit.load('lanes', lane);
  unit.update('lanes', lane.id, { halted: null });
  await scene.context.tenure.apply(unit.toChangeSet('test'));
  scene.now += 60_000;
  await scene.pays(scene.origin);
  expect(scene.origin.prepared).toEqual([]);
  expect((await scene.leg(REFUND))?.state).toBe('held');
  expect((await scene.requestOf({ fundingKey: KEY })).failReason).toBe('ORDER_ALREADY_FILLED');
  scene.origin.ownAsked.length = 0;
  await refuses();
  scene.errors.length = 0;
});
