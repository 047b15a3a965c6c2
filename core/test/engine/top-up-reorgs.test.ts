import { describe, expect, it } from 'vitest';
import type { LegPaid } from '../../src/contract/index.js';
import { account, legId } from '../../src/domain/accounts.js';
import { topUpId } from '../../src/domain/top-up.js';
import { UnitOfWork } from '../../src/engine/base/unit-of-work.js';
import { noteForeign } from '../../src/engine/recovery/foreign-fills.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { DESTINATION, NOW, ORIGIN } from './support/quotes.js';
import { SIGNER } from './support/scripted-chain.js';
import {
  body,
  COIN,
  coins,
  excess,
  fill,
  filled,
  openScenes,
  PART,
  paidIn,
  refusing,
  reserved,
  scene,
  status,
  topUp,
  wait,
} from './support/top-ups.js';

openScenes();

describe('a deposit that leaves the chain', () => {
  it('keeps coin back that is not signed, until it returns', async () => {
    await paidIn();
    await filled();
    const deposit = scene.deposit(body, 'deposit');
    await scene.sees([{ ...deposit, state: 'vanished' }]);
    expect((await topUp())?.state).toBe('suspended');
    expect(await reserved()).toBe(0n);
    await scene.pays(scene.destination);
    expect(scene.destination.prepared).toHaveLength(1);
    await scene.sees([{ ...deposit, block: { height: 104, id: 'b-104', timestamp: NOW } }]);
    expect(await topUp()).toMatchObject({ state: 'owed' });
    expect(await reserved()).toBe(5_000n);
    expect(await status()).toBe('submitted');
    wait(6_000);
    await scene.settles(scene.destination);
    scene.destination.lands(`${SIGNER}:1`, 502);
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success');
  });

  it('gives its order to another transfer, coin and all', async () => {
    await paidIn();
    await filled();
    await scene.sees([{ ...scene.deposit(body, 'deposit'), state: 'vanished' }]);
    await scene.sees([scene.deposit(body, 'other', { block: { height: 105, id: 'b-105', timestamp: NOW } })]);
    expect(await fill()).toMatchObject({ fundingKey: '901:other:0' });
    expect(await topUp()).toMatchObject({ state: 'owed', fundingKey: '901:other:0' });
    wait(6_000);
    await scene.settles(scene.destination);
    scene.destination.lands(`${SIGNER}:1`, 502, { final: true });
    scene.destination.lands(`${SIGNER}:0`, 501, { final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success');
    await scene.finalises(106);
    await scene.idle();
  });
});

describe('a deposit that leaves the chain after a reorg took its output, whose message ran out', () => {
  /** Coin is signed; a reorg removed deposit and output. */
  async function topUpAlone(landed: 'landed' | 'under way'): Promise<void> {
    await paidIn();
    scene.destination.reports(async (_signer, _ledger, start) => ({ sent: [], pending: false, position: start }));
    scene.destination.unfilled = false;
    await filled();
    await scene.settles(scene.destination);
    scene.destination.evidence.set(`${SIGNER}:0`, { state: 'spentByOther', final: true });
    await scene.tracks(scene.destination);
    expect((await fill())?.state).toBe('owed');
    if (landed === 'landed') scene.destination.lands(`${SIGNER}:1`, 502, { final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('pending');
    await scene.sees([{ ...scene.deposit(body, 'deposit'), state: 'vanished' }]);
    expect((await fill())?.state).toBe('suspended');
    expect((await topUp())?.state).toBe(landed === 'landed' ? 'done' : 'bound');
  }

  /** Only the output is paid again, before the coin. */
  async function paidOnce(name: string): Promise<void> {
    expect(await fill()).toMatchObject({ state: 'owed', fundingKey: `901:${name}:0`, covers: 100_000n - PART });
    expect(await topUp()).toMatchObject({ fundingKey: `901:${name}:0`, covers: PART, key: `${SIGNER}:1` });
    wait(60_000);
    await scene.pays(scene.destination);
    scene.destination.lands(`${SIGNER}:1`, 502, { final: true });
    scene.destination.lands(`${SIGNER}:2`, 504, { final: true });
    await scene.tracks(scene.destination);
    wait(60_000);
    await scene.pays(scene.destination);
    expect(await status()).toBe('success');
    expect(coins()).toHaveLength(1);
    expect(await reserved()).toBe(0n);
    expect(await scene.pot(account.paid(DESTINATION, COIN))).toBe(98_900n);
    expect(await scene.pot(account.owed(ORIGIN, `coin-${ORIGIN}`))).toBe(0n);
    await scene.finalises(200);
    await scene.idle();
    expect(await scene.depositRow({ fundingKey: `901:${name}:0` })).toMatchObject({ collectable: 100_000n });
    scene.errors.length = 0;
  }

  it.each(['landed', 'under way'] as const)('is paid no second coin when it returns (%s)', async (landed) => {
    await topUpAlone(landed);
    await scene.sees([scene.deposit(body, 'deposit', { block: { height: 105, id: 'b-105', timestamp: NOW } })]);
    await paidOnce('deposit');
  });

  it.each(['landed', 'under way'] as const)(
    'leaves its order no second coin for another transfer (%s)',
    async (landed) => {
      await topUpAlone(landed);
      await scene.sees([scene.deposit(body, 'other', { block: { height: 105, id: 'b-105', timestamp: NOW } })]);
      await paidOnce('other');
    },
  );
});

describe('a reorg of the destination', () => {
  it('takes the coin back out of the books, and the same bytes bring it again', async () => {
    await paidIn();
    await filled({ final: true });
    await scene.settles(scene.destination);
    scene.destination.lands(`${SIGNER}:1`, 502);
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success');
    scene.destination.evidence.set(`${SIGNER}:1`, { state: 'unspent', inPool: true });
    await scene.tracks(scene.destination);
    expect(await reserved()).toBe(5_000n);
    expect(JSON.parse((await scene.request(body)).actual ?? '{}')).not.toHaveProperty('topUp');
    expect(await status()).toBe('success');
    scene.destination.lands(`${SIGNER}:1`, 503, { final: true });
    await scene.tracks(scene.destination);
    expect(await scene.pot(account.paid(DESTINATION, COIN))).toBe(98_900n);
  });

  it('is no success with the coin alone', async () => {
    await paidIn();
    await filled();
    await scene.settles(scene.destination);
    scene.destination.evidence.set(`${SIGNER}:0`, { state: 'unspent', inPool: true });
    scene.destination.lands(`${SIGNER}:1`, 502);
    await scene.tracks(scene.destination);
    expect(await status()).toBe('submitted');
    scene.destination.lands(`${SIGNER}:0`, 503);
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success');
  });
});

describe('a ledger that lost a part of itself', () => {
  const paidBefore = (change: Partial<LegPaid> = {}): LegPaid => ({
    ...{ hash: '0xlost', block: { height: 400, id: 'block-400', timestamp: 400_000 }, final: true, sender: SIGNER },
    ...{ currency: COIN, recipient: 'recipient', moved: 5_000n },
    ...change,
  });

  async function restoredWhileOwed(): Promise<void> {
    await paidIn();
    await filled({ final: true });
    await markRestored(scene.store, scene.now);
  }

  it('finds the coin that was paid, and pays none', async () => {
    await restoredWhileOwed();
    scene.destination.paid.set(legId.topUp(body.orderId), paidBefore());
    await scene.pays(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'done' });
    expect(scene.destination.prepared).toHaveLength(1);
    expect(await status()).toBe('success');
  });

  it('holds a deposit whose coin it finds paid, where its output is never paid', async () => {
    await paidIn();
    const unit = new UnitOfWork();
    const found = { hash: '0xlost', final: true, filled: [topUpId(body.orderId)] };
    await noteForeign(scene.context, unit, [found], false, DESTINATION);
    await scene.store.apply(unit.toChangeSet('test.found'));
    wait(700_000);
    await scene.settles(scene.destination);
    expect(await scene.leg('refund:901:deposit:0')).toMatchObject({ covers: 100_000n });
    await scene.finalises(101);
    await scene.pays(scene.origin);
    expect(await scene.leg('refund:901:deposit:0')).toMatchObject({ state: 'held' });
    expect(scene.origin.prepared).toEqual([]);
  });

  it('asks for the coin as well before it refunds a deposit', async () => {
    await paidIn();
    scene.now += 1_000;
    await markRestored(scene.store, scene.now);
    const coin = topUpId(body.orderId);
    scene.destination.unfilledForGood = async (orderId) => orderId !== coin;
    scene.destination.paid.set(legId.topUp(body.orderId), paidBefore());
    wait(700_000);
    await scene.settles(scene.destination);
    await scene.finalises(101);
    await scene.pays(scene.origin);
    expect(await scene.leg('refund:901:deposit:0')).toMatchObject({ state: 'held', covers: 100_000n });
    expect(scene.origin.prepared).toEqual([]);
  });

  it('holds it where its part went back already', async () => {
    await restoredWhileOwed();
    scene.origin.paid.set(legId.excess('901:deposit:0'), paidBefore({ currency: `coin-${ORIGIN}`, moved: PART }));
    await scene.pays(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'held' });
    expect(scene.destination.prepared).toHaveLength(1);
  });

  it('pays it where the chain keeps it from being paid twice, and never refunds its part', async () => {
    await restoredWhileOwed();
    refusing('TRANSFER_FAILED');
    await scene.pays(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'held', reason: 'maybePaid' });
    expect(await excess()).toBeUndefined();
  });

  it.each(['goes on', 'is owed again'])(
    'never refunds its part either where another transfer %s with it',
    async (how) => {
      await paidIn();
      if (how === 'goes on') await filled();
      await markRestored(scene.store, scene.now);
      wait(6_000);
      await scene.settles(scene.destination);
      expect(await topUp()).toMatchObject({ reason: 'maybePaid' });
      await scene.sees([{ ...scene.deposit(body, 'deposit'), state: 'vanished' }]);
      expect(await topUp()).toMatchObject({ state: 'suspended', reason: 'maybePaid' });
      wait(10_000);
      const block = { height: 105, id: 'b-105', timestamp: scene.now };
      await scene.sees([scene.deposit(body, 'other', { block })]);
      expect(await topUp()).toMatchObject({ fundingKey: '901:other:0', reason: 'maybePaid' });
      if (how === 'is owed again') await filled();
      refusing('TRANSFER_FAILED');
      wait(6_000);
      await scene.pays(scene.destination);
      expect(await topUp()).toMatchObject({ state: 'held', reason: 'maybePaid' });
      expect(await excess('other')).toBeUndefined();
      scene.errors.length = 0;
    },
  );

  it('holds it where no contract keeps it from being paid twice', async () => {
    const { facts } = scene.destination;
    scene.destination.facts = { ...facts, guarantees: { ...facts.guarantees, fillOnce: false } };
    await restoredWhileOwed();
    await scene.pays(scene.destination);
    expect(await topUp()).toMatchObject({ state: 'held' });
    expect(scene.destination.prepared).toHaveLength(1);
  });
});
