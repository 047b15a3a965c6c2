import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVERY_LEG } from '../../src/contract/legs.js';
import { legId } from '../../src/domain/accounts.js';
import { Patience } from '../../src/engine/base/patience.js';
import { WatchSession } from '../../src/engine/deposits/watch-session.js';
import { collectChain } from '../../src/engine/pots/collect.js';
import { reconcile } from '../../src/engine/rounds/reconcile.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  // Poison must be logged as an error.
  scene.errors.length = 0;
  await scene.close();
});

const fillOf = async (n: number) => scene.leg(legId.fill((await scene.quoteOf(n)).orderId));

describe('a deposit whose destination left the config', () => {
  it('keeps no other deposit from being filled, and waits undecided', async () => {
    const lost = await scene.quote(1, { destination: { chainId: 903, currency: 'x', symbol: 'X', decimals: 6 } });
    const good = await scene.quote(2);
    await scene.sees([scene.deposit(lost, 'a'), scene.deposit(good, 'b')]);
    expect((await fillOf(2))?.state).toBe('owed');
    expect(await scene.depositRow({ fundingKey: '901:a:0' })).toMatchObject({ decision: 'waiting' });
    expect(scene.alerts.has('poison:901:a:0')).toBe(true);
    expect((await scene.store.cursor(901))?.cursor).toBe('c-101');
    // It rests, then is asked again.
    const next = await scene.quote(3);
    await scene.sees([scene.deposit(next, 'c')]);
    expect((await fillOf(3))?.state).toBe('owed');
  });
});

describe('a transfer that cannot even be written down', () => {
  it('pins the cursor, and lets the rest be seen', async () => {
    const good = await scene.quote(1);
    const bad = scene.deposit(good, 'a', { amount: undefined as unknown as bigint });
    await scene.sees([]);
    const before = (await scene.store.cursor(901))?.cursor;
    await scene.sees([bad, scene.deposit(good, 'b')]);
    expect((await fillOf(1))?.fundingKey).toBe('901:b:0');
    expect((await scene.store.cursor(901))?.cursor).toBe(before);
    await scene.sees([]);
    expect((await scene.store.cursor(901))?.cursor).toBe(before);
    // The next watcher sees it again.
    scene.session = new WatchSession(scene.context.clock);
    await scene.sees([scene.deposit(null, 'a'), scene.deposit(good, 'b')]);
    expect((await scene.depositRow({ fundingKey: '901:a:0' })).decision).toBe('refund');
    expect((await scene.store.cursor(901))?.cursor).not.toBe(before);
  });
});

describe('a leg that throws when its turn comes', () => {
  it('is put on hold for a time, and those behind it are paid', async () => {
    const bodies = await Promise.all([1, 2, 3].map((n) => scene.quote(n, { amountIn: '1000', amountOut: '990' })));
    await scene.sees(bodies.map((body, n) => scene.deposit(body, `d${n}`)));
    const poisoned = legId.fill(bodies[1]?.orderId ?? '');
    scene.destination.checkAnswer = (leg) => {
      if (leg.legId === poisoned) throw new Error('no such thing');
      return { ok: true, plan: '{}' };
    };
    await scene.settles(scene.destination);
    expect(scene.destination.prepared.map(({ key, legs }) => [key, legs[0]?.legId])).toEqual([
      ['filler:0', legId.fill(bodies[0]?.orderId ?? '')],
      ['filler:1', legId.fill(bodies[2]?.orderId ?? '')],
    ]);
    expect(scene.alerts.has(`poison:${poisoned}`)).toBe(true);
    expect((await scene.leg(poisoned))?.dueAt).toBeGreaterThan(scene.now);
    scene.destination.checkAnswer = () => ({ ok: true, plan: '{}' });
    scene.now += 60_001;
    await scene.settles(scene.destination);
    expect((await scene.leg(poisoned))?.state).toBe('bound');
    expect(scene.alerts.has(`poison:${poisoned}`)).toBe(false);
  });
});

describe('a key whose end cannot be written', () => {
  it('stays open and keeps no other key of the lane from ending', async () => {
    const bodies = await Promise.all([1, 2, 3].map((n) => scene.quote(n, { amountIn: '1000', amountOut: '990' })));
    await scene.sees(bodies.map((body, n) => scene.deposit(body, `d${n}`)));
    await scene.settles(scene.destination);
    for (const n of [0, 1, 2]) scene.destination.lands(`filler:${n}`, 501 + n, { final: true });
    const seen = scene.destination.evidence.get('filler:1');
    if (seen?.state !== 'spent') throw new Error('it landed');
    scene.destination.evidence.set('filler:1', { ...seen, fee: 'much' as unknown as bigint });
    await scene.tracks(scene.destination);
    const open = await scene.store.openKeys(902, 'filler', 10);
    expect(open.map(({ key }) => key.key)).toEqual(['filler:1']);
    expect(scene.alerts.has('poison:902:filler:1')).toBe(true);
    scene.destination.evidence.set('filler:1', seen);
    await scene.tracks(scene.destination);
    expect(await scene.store.openKeys(902, 'filler', 10)).toEqual([]);
    expect(scene.alerts.has('poison:902:filler:1')).toBe(false);
  });
});

describe('work that waits for long', () => {
  it('never keeps later rows from their turn, however much of it there is', async () => {
    let now = 0;
    const patience = new Patience({ monotonic: () => now });
    const rows = Array.from({ length: 1_000 }, (_, n) => `r${n}`);
    const seen = new Set<string>();
    for (let n = 0; n < 10; n += 1) {
      const turn = await patience.turn(
        200,
        async (limit) => rows.slice(0, limit),
        (row) => row,
      );
      for (const row of turn) {
        seen.add(row);
        patience.postpone(row, 60_000);
      }
      now += 1_000;
    }
    expect(seen.size).toBe(1_000);
  });

  it('as dust that is not worth collecting, does not keep what is from being collected', async () => {
    await scene.close();
    scene = await Scene.open({ collect: { everyMs: 1_000, minMicroUsd: 50_000n } });
    const patience = new Patience(scene.context.clock);
    scene.origin.gasCost = 0n;
    const total = 510;
    for (let from = 0; from < total; from += 100) {
      const bodies = [];
      for (let n = from; n < Math.min(total, from + 100); n += 1)
        bodies.push(await scene.quote(n + 1, n === total - 1 ? {} : { amountIn: '10', amountOut: '9' }));
      const block = { height: 101 + from, id: `b${from}`, timestamp: scene.now };
      await scene.sees(bodies.map((body, n) => scene.deposit(body, `d${from + n}`, { block })));
    }
    for (let n = 0; n < 12; n += 1) await scene.settles(scene.destination);
    for (const { key } of scene.destination.prepared) scene.destination.lands(key, 501, { final: true });
    for (let n = 0; n < 12; n += 1) await scene.tracks(scene.destination);
    await scene.finalises(2_000);
    await scene.sees([]);
    expect(await scene.store.collectable(901, 1_000)).toHaveLength(total);
    const rounds = [];
    for (let n = 0; n < 3; n += 1) rounds.push(await collectChain(scene.context, scene.origin, patience));
    expect(rounds).toContain(true);
  }, 60_000);
});

describe('the reconciler', () => {
  it('sees a refund that nothing moves behind a failure', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.evidence.set('filler:0', { state: 'spentByOther', final: true });
    await scene.tracks(scene.destination);
    await scene.finalises(150);
    expect((await scene.request(body)).status).toBe('failure');
    scene.now += 120_000;
    await reconcile(scene.context);
    expect(scene.alerts.has('stuck')).toBe(false);
    Object.assign(scene.origin, { lanes: [{ signer: 'another', sends: EVERY_LEG }] });
    await reconcile(scene.context);
    expect(scene.alerts.has('stuck')).toBe(true);
    Object.assign(scene.origin, { lanes: [{ signer: SIGNER, sends: EVERY_LEG }] });
    await reconcile(scene.context);
    expect(scene.alerts.has('stuck')).toBe(false);
  });

  it('is no poison where another process did its work between two reads', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    scene.now = body.deadlineAt;
    const { store } = scene;
    const before = await store.claimDue(902, 'filler', scene.now, 10);
    expect(before.map(({ state }) => state)).toEqual(['owed']);
    await scene.settles(scene.destination);
    expect((await fillOf(1))?.state).toBe('void');
    // A stale read of the voided one.
    const late = { ...scene.context, store: Object.create(store, { claimDue: { value: async () => before } }) };
    await scene.round(scene.destination, late);
    expect(scene.errors).toEqual([]);
    expect(scene.alerts.has(`poison:${before[0]?.id}`)).toBe(false);
    expect(await scene.leg(legId.refund('901:a:0'))).toMatchObject({ state: 'blocked' });
  });
});
