import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LegCheck } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { resumeLane } from '../../src/engine/operator/resume-lane.js';
import { matchLane } from '../../src/engine/recovery/match-lane.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { Scene } from './support/scene.js';
import { NOTHING_ENFORCED, SIGNER } from './support/scripted-chain.js';

let scene: Scene;
let body: QuoteBody;

/** A restored ledger two positions behind the destination's signer. */
beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
  scene.destination.position = '2';
  await openLane(scene.context, scene.destination, SIGNER);
});

afterEach(async () => {
  scene.errors.length = 0;
  await scene.close();
});

/** A complete ledger. */
async function begins(): Promise<void> {
  scene.errors.length = 0;
  await scene.close();
  scene = await Scene.open();
  body = await scene.quote(1);
}

const lane = async () => scene.store.lane(902, SIGNER);
const refund = (name: string) => scene.leg(legId.refund(`901:${name}:0`));
const match = () => matchLane(scene.context, scene.destination, SIGNER);
const ALREADY: LegCheck = { ok: false, kind: 'refused', reason: 'ORDER_ALREADY_FILLED', message: 'AlreadyFilled()' };
const ORPHAN = `0x${'99'.repeat(32)}` as const;

function spent(position: number, filled: readonly `0x${string}`[], final = true): void {
  scene.destination.spenders.set(`${SIGNER}:${position}`, { hash: `0x${position}`, final, filled });
}

describe('a halted lane', () => {
  it('stays so while one of its unknown sends cannot be identified, or is not final', async () => {
    spent(0, []);
    expect((await match()).ok).toBe(false);
    spent(1, [], false);
    expect((await match()).ok).toBe(false);
    expect((await lane())?.halted).not.toBeNull();
    expect((await lane())?.position).toBe('0');
  });

  it('goes on by itself from where the chain is once all of them are read', async () => {
    spent(0, []);
    spent(1, [ORPHAN]);
    expect((await match()).ok).toBe(true);
    expect(await lane()).toMatchObject({ halted: null, position: '2' });
    expect(scene.alerts.has(`halted:902:${SIGNER}`)).toBe(false);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    expect(scene.destination.prepared.map(({ key }) => key)).toEqual(['filler:2']);
  });

  it('books what its unknown sends moved, so that inventory is not promised twice', async () => {
    spent(0, []);
    spent(1, [ORPHAN]);
    scene.destination.balance = 900_000n;
    await match();
    expect(await scene.pot('inventory:902:filler:coin-902')).toBe(900_000n);
    await scene.books();
  });

  it('waits for its own sends first', async () => {
    await begins();
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.position = '3';
    await openLane(scene.context, scene.destination, SIGNER);
    spent(1, []);
    spent(2, []);
    expect((await match()).ok).toBe(false);
    scene.destination.lands('filler:0', 501, { final: true });
    await scene.tracks(scene.destination);
    expect((await match()).ok).toBe(true);
  });

  it('waits also for those that its chain may have taken back: what they moved is counted once', async () => {
    await begins();
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.lands('filler:0', 501);
    await scene.tracks(scene.destination);
    // After a reorg the lost part refilled this order and filled another.
    scene.destination.evidence.set('filler:0', { state: 'spentByOther', final: true });
    scene.destination.checkAnswer = () => ALREADY;
    scene.destination.unfilled = false;
    scene.destination.balance -= 99_777n;
    scene.destination.position = '2';
    await openLane(scene.context, scene.destination, SIGNER);
    spent(0, [body.orderId]);
    spent(1, [ORPHAN]);
    expect((await match()).ok).toBe(false);
    await scene.tracks(scene.destination);
    expect((await match()).ok).toBe(true);
    expect(await scene.pot('inventory:902:filler:coin-902')).toBe(scene.destination.balance);
    await scene.books();
  });
});

describe('while a lane is halted', () => {
  it('no deposit is refunded whose order it may have filled, known to this ledger or not', async () => {
    const late = { timestamp: body.deadlineAt + 1, height: 101, id: 'late' };
    await scene.sees([scene.deposit(body, 'a', { block: late }), scene.deposit(null, 'b', { orderId: ORPHAN })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    spent(0, []);
    spent(1, []);
    await match();
    scene.now += 20_000;
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.map(({ legs }) => legs[0]?.legId)).toEqual([legId.refund('901:a:0')]);
    // A lost send of a lost order may still be pending.
    expect((await refund('b'))?.state).toBe('held');
    scene.now += 20_000;
    await scene.sees([
      scene.deposit(null, 'c', {
        orderId: `0x${'98'.repeat(32)}`,
        block: { height: 151, id: 'c', timestamp: scene.now },
      }),
    ]);
    await scene.finalises(160);
    await scene.pays(scene.origin);
    expect((await refund('c'))?.state).toBe('bound');
  });

  it('it is so for what waits in a pool, too', async () => {
    await begins();
    scene.destination.pool = '2';
    await openLane(scene.context, scene.destination, SIGNER);
    expect((await lane())?.halted).not.toBeNull();
    expect((await match()).ok).toBe(false);
    // Evicted from the pool.
    scene.destination.pool = '0';
    await openLane(scene.context, scene.destination, SIGNER);
    expect((await lane())?.halted).toBeNull();
  });

  it('nor by who decides in the moment in which the lane goes on', async () => {
    const late = { timestamp: body.deadlineAt + 1, height: 101, id: 'late' };
    await scene.sees([scene.deposit(body, 'a', { block: late })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    spent(0, [body.orderId]);
    spent(1, []);
    const lanes = scene.store.lanes.bind(scene.store);
    scene.store.lanes = async () => {
      scene.store.lanes = lanes;
      // Flushes reads besides the lanes.
      await scene.store.pots('');
      expect((await match()).ok).toBe(true);
      return lanes();
    };
    scene.now += 20_000;
    await scene.pays(scene.origin);
    expect((await lane())?.halted).toBeNull();
    expect(scene.origin.prepared).toEqual([]);
    expect((await refund('a'))?.state).toBe('held');
  });

  it('a deposit without an order is refunded, and a duplicate is not: it may be what was filled', async () => {
    await scene.sees([scene.deposit(null, 'a'), scene.deposit(body, 'b'), scene.deposit(body, 'c')]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.map(({ legs }) => legs[0]?.legId)).toEqual([legId.refund('901:a:0')]);
  });

  it('nor is a duplicate of an order that is unknown here', async () => {
    const orderId = ORPHAN;
    await scene.sees([scene.deposit(null, 'a', { orderId }), scene.deposit(null, 'b', { orderId })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
  });
});

describe('an order that an unknown send filled', () => {
  it.each(['known', 'unknown'])('%s to this ledger: its deposit is held, never refunded by itself', async (which) => {
    const late = { timestamp: body.deadlineAt + 1, height: 101, id: 'late' };
    const orderId = which === 'known' ? body.orderId : ORPHAN;
    await scene.sees([scene.deposit(which === 'known' ? body : null, 'a', { block: late, orderId })]);
    await scene.finalises(150);
    spent(0, [orderId]);
    spent(1, []);
    await match();
    scene.now += 20_000;
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    expect((await refund('a'))?.state).toBe('held');
    expect(await scene.requestOf({ fundingKey: '901:a:0' })).toMatchObject({
      status: 'failure',
      failReason: 'ORDER_ALREADY_FILLED',
    });
    expect(await scene.store.holds('open')).toHaveLength(1);
  });

  it('is learnt of also where it took a position that this ledger had signed for', async () => {
    await begins();
    await scene.sees([scene.deposit(body, 'a'), scene.deposit(null, 'b', { orderId: ORPHAN })]);
    await scene.settles(scene.destination);
    scene.destination.evidence.set('filler:0', { state: 'spentByOther', final: true });
    spent(0, [ORPHAN]);
    await scene.tracks(scene.destination);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect((await refund('b'))?.state).toBe('held');
    expect((await refund('a'))?.state).toBe('bound');
  });
});

describe('unknown sends that do not name all the orders they filled', () => {
  function unreported(position: number): void {
    scene.destination.spenders.set(`${SIGNER}:${position}`, {
      ...{ hash: `0x${position}`, final: true, filled: [] },
      unreported: true,
    });
  }

  async function lateDeposit(): Promise<void> {
    const late = { timestamp: body.deadlineAt + 1, height: 101, id: 'late' };
    await scene.sees([scene.deposit(body, 'a', { block: late })]);
    await scene.finalises(150);
  }

  it.each([
    ['filled', 'held'],
    ['open', 'owed'],
    ['never', 'bound'],
  ])('have each order that was promised before asked about: %s', async (fate, state) => {
    spent(0, []);
    unreported(1);
    scene.now += 1_000;
    expect((await match()).ok).toBe(true);
    expect(await lane()).toMatchObject({ halted: null, position: '2' });
    await lateDeposit();
    scene.destination.unfilled = fate === 'never';
    if (fate === 'filled') scene.destination.checkAnswer = () => ALREADY;
    await scene.pays(scene.origin);
    expect(await refund('a')).toMatchObject({ state });
  });

  it('also where they took a position that this ledger had signed for', async () => {
    await begins();
    const other = await scene.quote(2);
    await scene.sees([scene.deposit(other, 'b')]);
    await scene.settles(scene.destination);
    scene.destination.evidence.set('filler:0', { state: 'spentByOther', final: true });
    unreported(0);
    scene.now += 1_000;
    await scene.tracks(scene.destination);
    scene.destination.unfilled = false;
    await lateDeposit();
    await scene.pays(scene.origin);
    expect((await refund('a'))?.state).toBe('owed');
  });
});

describe('an operator who resumes a lane', () => {
  const resume = () => resumeLane(scene.context, 902, SIGNER);

  it.each([
    ['filled', 'held'],
    ['open', 'owed'],
    ['never', 'bound'],
  ])('has a deposit that is seen later refunded by what the chain says of its order: %s', async (fate, state) => {
    scene.now += 1_000;
    expect(await resume()).toMatchObject({ ok: true });
    const late = { timestamp: body.deadlineAt + 1, height: 101, id: 'late' };
    await scene.sees([scene.deposit(body, 'a', { block: late })]);
    await scene.finalises(150);
    scene.destination.unfilled = fate === 'never';
    if (fate === 'filled') scene.destination.checkAnswer = () => ALREADY;
    await scene.pays(scene.origin);
    expect(await refund('a')).toMatchObject({ state });
    expect(scene.origin.prepared).toHaveLength(state === 'bound' ? 1 : 0);
  });

  it('leaves orders alone that were promised afterwards', async () => {
    expect(await resume()).toMatchObject({ ok: true });
    const fresh = await scene.quote(3);
    const late = { timestamp: fresh.deadlineAt + 1, height: 101, id: 'late' };
    await scene.sees([scene.deposit(fresh, 'a', { block: late })]);
    await scene.finalises(150);
    scene.destination.unfilled = false;
    await scene.pays(scene.origin);
    expect(await refund('a')).toMatchObject({ state: 'bound' });
  });

  it('lets each be filled that is not filled yet; orders unknown here stay in doubt', async () => {
    const other = await scene.quote(2);
    await scene.sees([
      scene.deposit(body, 'a'),
      scene.deposit(other, 'b'),
      scene.deposit(null, 'c', { orderId: ORPHAN }),
    ]);
    await scene.finalises(150);
    scene.destination.unfilledForGood = async (orderId: string) => orderId !== body.orderId;
    scene.destination.checkAnswer = (leg) =>
      leg.kind === 'fill' && leg.orderId === body.orderId ? ALREADY : { ok: true, plan: '{}' };
    expect(await resume()).toMatchObject({ ok: true });
    expect(await lane()).toMatchObject({ halted: null, position: '2' });
    expect(await resume()).toMatchObject({ ok: true, state: 'alreadyDone' });
    scene.now += 20_000;
    await scene.pays(scene.origin);
    expect((await refund('c'))?.state).toBe('held');
    await scene.settles(scene.destination);
    expect((await scene.leg(legId.fill(body.orderId)))?.state).toBe('held');
    expect((await scene.leg(legId.fill(other.orderId)))?.state).toBe('bound');
  });

  it('leaves what was paid in before where no contract keeps an order from being filled twice', async () => {
    Object.assign(scene.destination.facts, { guarantees: NOTHING_ENFORCED });
    await scene.sees([scene.deposit(body, 'a')]);
    scene.destination.unfilled = false;
    expect(await resume()).toMatchObject({ ok: true });
    await scene.pays(scene.destination);
    expect(scene.destination.prepared).toEqual([]);
  });

  it('is refused while a reorg may give back a position that something else took', async () => {
    scene.destination.finalPosition = '1';
    expect(await resume()).toMatchObject({ ok: false, code: 'notSafe' });
    expect(await lane()).toMatchObject({ halted: expect.any(String), position: '0' });
    scene.destination.finalPosition = '2';
    expect(await resume()).toMatchObject({ ok: true });
    expect(await lane()).toMatchObject({ halted: null, position: '2' });
  });

  it('is asked to try again where no one reports how long the chain is, as after a reorg that made it shorter', async () => {
    const { keys } = scene.destination;
    const lanePosition = async () => {
      throw new Error('no node that has block 16 counts its transactions');
    };
    scene.destination.keys = { ...keys, lanePosition };
    expect(await resume()).toMatchObject({ ok: false, code: 'notSafe', message: expect.stringContaining('block 16') });
    expect(await lane()).toMatchObject({ halted: expect.any(String), position: '0' });
    scene.destination.keys = keys;
    expect(await resume()).toMatchObject({ ok: true });
  });

  it('is informed of a lane that is not there, and of one that is not halted', async () => {
    expect(await resumeLane(scene.context, 902, 'nobody')).toMatchObject({ ok: false, code: 'notFound' });
    expect(await resumeLane(scene.context, 901, SIGNER)).toMatchObject({ ok: true, state: 'alreadyDone' });
  });

  it('does not count where this ledger filled it itself: a duplicate of it is refunded', async () => {
    await begins();
    await scene.sees([scene.deposit(body, 'a'), scene.deposit(body, 'b')]);
    await scene.settles(scene.destination);
    scene.destination.lands('filler:0', 501, { final: true });
    await scene.tracks(scene.destination);
    expect((await scene.leg(legId.fill(body.orderId)))?.state).toBe('done');
    scene.destination.position = '2';
    await openLane(scene.context, scene.destination, SIGNER);
    // A chain without distinct message keys.
    spent(1, [body.orderId]);
    expect((await match()).ok).toBe(true);
    await scene.finalises(150);
    scene.now += 20_000;
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.map(({ legs }) => legs[0]?.legId)).toEqual([legId.refund('901:b:0')]);
  });
});
