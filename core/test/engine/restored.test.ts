import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LegCheck } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { matchLane } from '../../src/engine/recovery/match-lane.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { markRestored, restoredAt } from '../../src/engine/recovery/restored.js';
import { Scene } from './support/scene.js';
import { NOTHING_ENFORCED, SIGNER } from './support/scripted-chain.js';

const ALREADY: LegCheck = { ok: false, kind: 'refused', reason: 'ORDER_ALREADY_FILLED', message: 'AlreadyFilled()' };
const ORPHAN = `0x${'99'.repeat(32)}` as const;

let scene: Scene;
let body: QuoteBody;

/** Restored a second ago; lanes match their chains. */
beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
  scene.now += 1_000;
  await markRestored(scene.store, scene.now);
});

afterEach(async () => {
  await scene.close();
});

const refund = (name: string) => scene.leg(legId.refund(`901:${name}:0`));
const USED: LegCheck = { ok: false, kind: 'refused', reason: 'INVALID_NONCE', message: 'KeyUsed()' };
const NO_FUNDS: LegCheck = { ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW', message: 'no funds' };

function wasFilled(final: boolean): void {
  scene.destination.paid.set(legId.fill(body.orderId), {
    hash: '0xlost',
    block: { height: 540, id: 'b540', timestamp: scene.now },
    final,
    sender: SIGNER,
    currency: scene.destination.coin,
    recipient: 'recipient',
    moved: 99_000n,
  });
}

const blockAt = (timestamp: number) => ({ height: 101, id: 'late', timestamp });

/** The chain's view of a lost payment. */
const lostPaid = (leg: string, moved: bigint) =>
  scene.origin.paid.set(leg, {
    hash: '0xlost',
    block: blockAt(scene.now),
    final: true,
    sender: SIGNER,
    currency: scene.origin.coin,
    recipient: 'refund-recipient',
    moved,
  });

describe('a ledger that was restored', () => {
  it.each([
    ['filled', 'held'],
    ['open', 'owed'],
    ['never', 'bound'],
  ])('refunds what was promised before by what the chain says of its order: %s', async (fate, state) => {
    await scene.sees([scene.deposit(body, 'a', { block: blockAt(body.deadlineAt + 1) })]);
    await scene.finalises(150);
    scene.destination.unfilled = fate === 'never';
    if (fate === 'filled') scene.destination.checkAnswer = () => ALREADY;
    await scene.pays(scene.origin);
    expect(await refund('a')).toMatchObject({ state });
    expect(scene.origin.prepared).toHaveLength(state === 'bound' ? 1 : 0);
  });

  it('holds what was paid in before for an order that it does not have, and refunds what comes later', async () => {
    await scene.sees([scene.deposit(null, 'a', { orderId: ORPHAN })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(await refund('a')).toMatchObject({ state: 'held' });
    await scene.sees([
      scene.deposit(null, 'b', { orderId: ORPHAN, block: { height: 151, id: 'b', timestamp: scene.now + 1 } }),
    ]);
    await scene.finalises(160);
    await scene.pays(scene.origin);
    expect(await refund('b')).toMatchObject({ state: 'bound' });
  });

  it('fills nothing that was paid in before, finds what was filled, and what comes later is filled', async () => {
    const other = await scene.quote(2);
    await scene.sees([scene.deposit(body, 'a'), scene.deposit(other, 'b')]);
    scene.destination.checkAnswer = (leg) =>
      leg.kind === 'fill' && leg.orderId === other.orderId ? ALREADY : { ok: true, plan: '{}' };
    await scene.settles(scene.destination);
    expect(scene.destination.prepared).toEqual([]);
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'owed' });
    expect(await scene.leg(legId.fill(other.orderId))).toMatchObject({ state: 'held' });
    const fresh = await scene.quote(3);
    const block = { height: 102, id: 'c', timestamp: scene.now + 1 };
    await scene.sees([scene.deposit(fresh, 'c', { block })]);
    await scene.settles(scene.destination);
    expect(scene.destination.prepared.map(({ legs }) => legs[0]?.legId)).toEqual([legId.fill(fresh.orderId)]);
  });

  it('fills nothing of it together with others either, where fills are tried as one', async () => {
    const tried: string[][] = [];
    Object.assign(scene.destination, { batches: { most: 4, gatherMs: 0, least: 2 } });
    scene.destination.checkTogether = async (legs) => {
      tried.push(legs.map((leg) => leg.legId));
      return legs.map(() => ({ ok: true as const, plan: '{}' }));
    };
    const [known, other] = [await scene.quote(2), await scene.quote(3)];
    await scene.sees([scene.deposit(body, 'a'), scene.deposit(known, 'b')]);
    const block = { height: 102, id: 'c', timestamp: scene.now + 1 };
    await scene.sees([scene.deposit(other, 'c', { block }), scene.deposit(await scene.quote(4), 'd', { block })]);
    await scene.settles(scene.destination);
    expect(tried).toHaveLength(1);
    for (const { orderId } of [body, known]) {
      expect(tried.flat()).not.toContain(legId.fill(orderId));
      expect(await scene.leg(legId.fill(orderId))).toMatchObject({ state: 'owed' });
    }
    expect(await scene.leg(legId.fill(other.orderId))).toMatchObject({ state: 'bound' });
  });

  it('abandons in time what it does not fill, and refunds it', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.now = body.deadlineAt + 1;
    await scene.settles(scene.destination);
    expect(await scene.requestOf({ fundingKey: '901:a:0' })).toMatchObject({ failReason: 'PROTOCOL_DEADLINE_EXPIRED' });
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(await refund('a')).toMatchObject({ state: 'bound' });
  });

  it("rests a lane whose messages run out and are held apart by their keys alone, by its chain's clock", async () => {
    Object.assign(scene.destination.facts, { guarantees: NOTHING_ENFORCED, messageLifeMs: 60_000 });
    const halted = async () => {
      await openLane(scene.context, scene.destination, SIGNER);
      return (await scene.store.lane(902, SIGNER))?.halted;
    };
    const restored = scene.now;
    scene.now = restored + 60_000 + scene.destination.facts.finalityMs;
    expect(await halted()).toMatch(/still land/);
    await scene.head(500);
    expect(await halted()).toMatch(/still land/);
    scene.now += 1;
    await scene.head(501);
    expect(await halted()).toBeNull();
  });

  it('rests a lane all the same whose unknown sends were matched', async () => {
    Object.assign(scene.destination.facts, { guarantees: NOTHING_ENFORCED, messageLifeMs: 60_000 });
    scene.destination.position = '1';
    await openLane(scene.context, scene.destination, SIGNER);
    scene.destination.spenders.set(`${SIGNER}:0`, { hash: '0x0', final: true, filled: [] });
    expect(await matchLane(scene.context, scene.destination, SIGNER)).toEqual({ ok: true });
    expect(await scene.store.lane(902, SIGNER)).toMatchObject({
      position: '1',
      halted: expect.stringMatching(/still land/),
    });
    scene.errors.length = 0;
  });

  it('remembers the last time, by whichever clock', async () => {
    await markRestored(scene.store, scene.now + 5);
    await markRestored(scene.store, scene.now - 3_600_000);
    expect(await restoredAt(scene.store)).toBe(scene.now + 5);
  });

  it('finds what was filled although that is final only when a fill would be late', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    scene.destination.checkAnswer = () => ALREADY;
    scene.destination.unfilled = false;
    wasFilled(false);
    scene.now = body.deadlineAt - 1;
    await scene.settles(scene.destination);
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'owed' });
    wasFilled(true);
    scene.now += 1_000;
    await scene.settles(scene.destination);
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'done' });
    expect(await scene.request(body)).toMatchObject({ status: 'success' });
  });

  it('finds what was filled although its lane could not fill it', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    scene.destination.checkAnswer = () => NO_FUNDS;
    wasFilled(true);
    await scene.settles(scene.destination);
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'done' });
  });

  it('holds what was promised before and filled, although its lane could not fill it', async () => {
    await scene.sees([scene.deposit(body, 'a', { block: blockAt(body.deadlineAt + 1) })]);
    await scene.finalises(150);
    scene.destination.unfilled = false;
    scene.destination.checkAnswer = () => NO_FUNDS;
    wasFilled(true);
    await scene.pays(scene.origin);
    expect(await refund('a')).toMatchObject({ state: 'held' });
  });

  it('holds what was promised before on a chain that was taken out: no one can ask it', async () => {
    await scene.sees([scene.deposit(body, 'a', { block: blockAt(body.deadlineAt + 1) })]);
    await scene.finalises(150);
    (scene.context.chains as Map<number, unknown>).delete(902);
    await scene.pays(scene.origin);
    expect(await refund('a')).toMatchObject({ state: 'held' });
  });

  it('waits, and sees no bug, while the chain of an order does not answer', async () => {
    await scene.sees([scene.deposit(body, 'a', { block: blockAt(body.deadlineAt + 1) })]);
    await scene.finalises(150);
    scene.destination.unfilled = new Error('fetch failed');
    await scene.pays(scene.origin);
    expect(await refund('a')).toMatchObject({ state: 'owed' });
    expect([...scene.alerts]).toEqual([]);
  });

  it('books what a lost send took that landed only after its lane was resumed', async () => {
    await scene.sees([scene.deposit(body, 'a')]);
    scene.destination.position = '1';
    scene.destination.balance -= 5n;
    await openLane(scene.context, scene.destination, SIGNER);
    scene.destination.spenders.set(`${SIGNER}:0`, { hash: '0x0', final: true, filled: [] });
    expect(await matchLane(scene.context, scene.destination, SIGNER)).toEqual({ ok: true });
    scene.now += 60_000;
    scene.destination.balance -= 99_000n;
    scene.destination.checkAnswer = () => ALREADY;
    wasFilled(true);
    await scene.settles(scene.destination);
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'done' });
    expect(await scene.pot('inventory:902:filler:coin-902')).toBe(scene.destination.balance);
    scene.errors.length = 0;
  });

  it('books once what a lost refund left to its lane for gas', async () => {
    scene.origin.facts = { ...scene.origin.facts, refundsSpendDeposits: true };
    const strict = await scene.quote(2, { forceRefund: true });
    await scene.sees([scene.deposit(strict, 'a')]);
    await scene.finalises(150);
    scene.origin.position = '1';
    // Of the ten withheld, seven were the fee.
    scene.origin.balance += 3n;
    await openLane(scene.context, scene.origin, SIGNER);
    scene.origin.spenders.set(`${SIGNER}:0`, { hash: '0xlost', final: true, filled: [] });
    expect(await matchLane(scene.context, scene.origin, SIGNER)).toEqual({ ok: true });
    expect(await scene.pot('inventory:901:filler:coin-901')).toBe(scene.origin.balance);
    lostPaid(legId.refund('901:a:0'), 99_990n);
    scene.origin.checkAnswer = () => USED;
    scene.destination.unfilled = true;
    await scene.pays(scene.origin);
    expect(await refund('a')).toMatchObject({ state: 'done' });
    expect(await scene.pot('depository:901:coin-901')).toBe(0n);
    expect(await scene.pot('inventory:901:filler:coin-901')).toBe(scene.origin.balance);
    expect((await scene.request(strict)).status).toBe('refund');
    scene.errors.length = 0;
  });

  it('pays no excess of a deposit that the lost part refunded as a whole', async () => {
    await scene.sees([scene.deposit(body, 'a', { amount: 110_000n })]);
    await scene.finalises(150);
    lostPaid(legId.refund('901:a:0'), 109_990n);
    scene.origin.checkAnswer = (leg) => (leg.kind === 'refund' ? USED : { ok: true, plan: '{}' });
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
  });

  it("refunds no deposit as a whole whose excess the lost part refunded, but on an operator's word", async () => {
    const strict = await scene.quote(2, { forceRefund: true });
    await scene.sees([scene.deposit(strict, 'a', { amount: 110_000n })]);
    await scene.finalises(150);
    lostPaid(legId.excess('901:a:0'), 9_990n);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.flatMap(({ legs }) => legs.map(({ amount }) => amount))).toEqual([]);
    const [hold] = await scene.store.holds('open');
    expect(await releaseHold(scene.context, hold?.id ?? '')).toMatchObject({ ok: true });
    scene.destination.unfilled = true;
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.map(({ legs }) => legs[0]?.legId)).toEqual([legId.refund('901:a:0')]);
  });
});
