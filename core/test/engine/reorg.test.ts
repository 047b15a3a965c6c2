import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import { ingest } from '../../src/engine/deposits/ingest.js';
import { LeaseLost } from '../../src/leases/tenure.js';
import { ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

const KEY = 'filler:0';
const RESERVED = '#reserved:902:filler:coin-902';
const UNFINAL = '#unfinal:901:coin-901';
const DEPOSITORY = 'depository:901:coin-901';

type Body = Awaited<ReturnType<Scene['quote']>>;

async function vanishes(): Promise<void> {
  await scene.sees([], { rewoundTo: 100 });
}

async function returns(body: Body, height = 105): Promise<void> {
  await scene.sees([scene.deposit(body, 'a', { block: { height, id: `b-${height}`, timestamp: scene.now } })]);
}

async function statusOf(body: Body): Promise<string> {
  const { status, failReason } = await scene.request(body);
  return failReason === null ? status : `${status} ${failReason}`;
}

async function gone(body: Body): Promise<void> {
  expect(await statusOf(body)).toBe('failure DEPOSIT_REORGED');
  expect(await scene.pot(DEPOSITORY)).toBe(0n);
  expect(await scene.pot(UNFINAL)).toBe(0n);
}

async function finished(body: Body): Promise<void> {
  scene.destination.lands(KEY, 501, { final: true });
  await scene.tracks(scene.destination);
  await scene.finalises(200);
  expect(await statusOf(body)).toBe('success');
  await scene.idle();
  expect((await scene.depositRow({ fundingKey: '901:a:0' })).collectable).toBe(100_000n);
}

describe('a deposit that vanishes and returns, again and again', () => {
  it('before it was deep enough to decide', async () => {
    scene.origin.depth = 3;
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    for (let flap = 0; flap < 3; flap += 1) {
      await vanishes();
      await gone(body);
      await returns(body, 120 + flap);
      expect(await statusOf(body)).toBe('pending');
    }
    expect(await scene.leg(legId.fill(body.orderId))).toBeUndefined();
    for (let blocks = 0; blocks < 30; blocks += 1) await scene.sees([]);
    await scene.settles(scene.destination);
    await finished(body);
  });

  it('while its fill is owed and nothing is signed', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    for (let flap = 0; flap < 3; flap += 1) {
      await vanishes();
      await gone(body);
      expect(await scene.pot(RESERVED)).toBe(0n);
      expect((await scene.leg(legId.fill(body.orderId)))?.state).toBe('suspended');
      await scene.settles(scene.destination);
      expect(scene.destination.prepared).toEqual([]);
      await returns(body);
      expect(await statusOf(body)).toBe('pending');
      expect(await scene.pot(RESERVED)).toBe(99_000n);
      expect(await scene.pot(UNFINAL)).toBe(100_000n);
    }
    await scene.settles(scene.destination);
    await finished(body);
  });

  it('while its fill is short of inventory', async () => {
    scene.destination.balance = 0n;
    await scene.close();
    scene = await Scene.open({
      limits: { maxRequestMicroUsd: null, maxUnfinalMicroUsd: 1n, maxDailyMicroUsd: null, dustMicroUsd: 0n },
    });
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await vanishes();
    await gone(body);
    await returns(body);
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({
      state: 'short',
      reason: 'SOLVER_CAPACITY_EXCEEDED',
    });
    expect(await scene.pot(RESERVED)).toBe(0n);
    expect(await scene.pot(UNFINAL)).toBe(0n);
    await scene.finalises(150);
    await scene.pays(scene.destination);
    expect(await statusOf(body)).toBe('submitted');
    await finished(body);
  });

  it('while its fill is out: it is not sent again', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    for (let flap = 0; flap < 3; flap += 1) {
      await vanishes();
      await gone(body);
      await scene.settles(scene.destination);
      await returns(body);
      expect(await statusOf(body)).toBe('submitted');
      await scene.settles(scene.destination);
    }
    expect(scene.destination.prepared).toHaveLength(1);
    await finished(body);
  });

  it('after its fill landed', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501);
    await scene.tracks(scene.destination);
    await vanishes();
    await gone(body);
    expect(await scene.pot('owed:901:coin-901')).toBe(100_000n);
    await returns(body);
    expect(await statusOf(body)).toBe('success');
    await finished(body);
  });

  it('and its fill is final before it returns', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    await vanishes();
    scene.destination.lands(KEY, 501, { final: true });
    await scene.tracks(scene.destination);
    await gone(body);
    await returns(body);
    expect(await statusOf(body)).toBe('success');
    await scene.finalises(200);
    await scene.idle();
    expect((await scene.depositRow({ fundingKey: '901:a:0' })).collectable).toBe(100_000n);
  });

  it('and its fill reverts before it returns: it is refunded', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    await vanishes();
    scene.destination.lands(KEY, 501, { final: true, ok: false });
    await scene.tracks(scene.destination);
    await gone(body);
    expect((await scene.leg(legId.refund('901:a:0')))?.state).toBe('suspended');
    await returns(body);
    expect(await statusOf(body)).toBe('pending EXECUTION_REVERTED');
    await scene.finalises(200);
    await scene.pays(scene.origin);
    scene.origin.lands(KEY, 201, { final: true });
    await scene.tracks(scene.origin);
    expect(await statusOf(body)).toBe('refund EXECUTION_REVERTED');
    await scene.idle();
  });

  it('with a refund that waits for its finality', async () => {
    const body = await scene.quote(1, { forceRefund: true });
    await scene.sees([scene.deposit(body, 'a')]);
    const refund = legId.refund('901:a:0');
    for (let flap = 0; flap < 3; flap += 1) {
      expect((await scene.leg(refund))?.state).toBe('blocked');
      await vanishes();
      await gone(body);
      expect((await scene.leg(refund))?.state).toBe('suspended');
      await scene.sees([scene.deposit(body, 'a', { block: { height: 105, id: 'b', timestamp: scene.now } })]);
      expect(await statusOf(body)).toBe('pending UNKNOWN');
    }
    await scene.finalises(200);
    expect((await scene.leg(refund))?.state).toBe('owed');
  });
});

describe('a deposit that is final when the watcher sees it at its new place', () => {
  const elsewhere = { height: 105, id: 'b-105', timestamp: 1_700_000_000_000 };

  it.each(['moved', 'returned'])('%s: its refund is released', async (how) => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a', { amount: 50_000n })]);
    if (how === 'returned') await vanishes();
    await scene.finalises(200, [scene.deposit(body, 'a', { amount: 50_000n, state: 'final', block: elsewhere })]);
    expect((await scene.depositRow({ fundingKey: '901:a:0' })).state).toBe('final');
    expect((await scene.leg(legId.refund('901:a:0')))?.state).toBe('owed');
  });

  it.each(['moved', 'returned'])('%s: its fill is no exposure any more', async (how) => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    if (how === 'returned') await vanishes();
    await scene.finalises(200, [scene.deposit(body, 'a', { state: 'final', block: elsewhere })]);
    expect(await scene.pot(UNFINAL)).toBe(0n);
    await finished(body);
  });
});

describe('a deposit that is gone although it was final', () => {
  const ALERT = 'final-vanished:901:a:0';

  async function settled(): Promise<Body> {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    await finished(body);
    expect(scene.alerts).not.toContain(ALERT);
    return body;
  }

  it('stays final in the books, and is named to an operator until it is in a block again', async () => {
    const body = await settled();
    await scene.sees([], { rewoundTo: 100, readFrom: 100 });
    expect(scene.alerts).toContain(ALERT);
    expect(await scene.pot(DEPOSITORY)).toBe(100_000n);
    expect((await scene.depositRow({ fundingKey: '901:a:0' })).state).toBe('final');
    await scene.sees([scene.deposit(body, 'a', { state: 'mempool', block: null })]);
    await scene.sees([scene.deposit(body, 'a', { amount: 1n, block: { height: 301, id: 'c', timestamp: scene.now } })]);
    expect(scene.alerts).toContain(ALERT);
    await scene.sees([scene.deposit(body, 'a', { block: { height: 302, id: 'd', timestamp: scene.now } })]);
    expect(scene.alerts).not.toContain(ALERT);
  });

  it('is named to no one where it is repeated, or where a batch does not report its height', async () => {
    const body = await settled();
    await scene.sees([scene.deposit(body, 'a')], { rewoundTo: 100, readFrom: 100 });
    await scene.sees([], { rewoundTo: 101, readFrom: 101 });
    await scene.sees([], { rewoundTo: 99, readFrom: 99, readTo: 100 });
    await scene.sees([], { rewoundTo: 100 });
    expect(scene.alerts).not.toContain(ALERT);
  });
});

describe('a batch in which one deposit returns and another claims what it had reserved', () => {
  it('is taken: the second one waits for inventory', async () => {
    const first = await scene.quote(1, { amountIn: '700000', amountOut: '693000' });
    const second = await scene.quote(2, { amountIn: '700000', amountOut: '693000' });
    await scene.sees([scene.deposit(first, 'a')]);
    await vanishes();
    const block = { height: 105, id: 'b-105', timestamp: scene.now };
    await scene.sees([scene.deposit(first, 'a', { block }), scene.deposit(second, 'b', { block })]);
    expect((await scene.leg(legId.fill(first.orderId)))?.state).toBe('owed');
    expect(await scene.leg(legId.fill(second.orderId))).toMatchObject({
      state: 'short',
      reason: 'SOLVER_BALANCE_TOO_LOW',
    });
    expect(await scene.pot(RESERVED)).toBe(693_000n);
  });
});

describe('a deposit that a reorg returns to the mempool', () => {
  it('is no deposit until it is included again, and is booked once', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    const waiting = { state: 'mempool' as const, block: null };
    for (let n = 0; n < 2; n += 1) {
      await scene.sees([scene.deposit(body, 'a', waiting)], { rewoundTo: 100 });
      expect(await scene.request(body)).toMatchObject({ status: 'failure', failReason: 'DEPOSIT_REORGED' });
      expect(await scene.pot('depository:901:coin-901')).toBe(0n);
      expect((await scene.leg(legId.fill(body.orderId)))?.state).toBe('suspended');
    }
    await scene.sees([scene.deposit(body, 'a', { block: { height: 103, id: 'again', timestamp: scene.now } })]);
    expect(await scene.pot('depository:901:coin-901')).toBe(100_000n);
    expect((await scene.leg(legId.fill(body.orderId)))?.state).toBe('owed');
  });
});

describe('deposits that were recorded without the cursor', () => {
  /** The store takes half of a batch, then fails until the watcher restarts. */
  async function halfOf(many: number): Promise<readonly Body[]> {
    const bodies = await Promise.all(Array.from({ length: many }, (_, n) => scene.quote(n + 1)));
    const deposits = bodies.map((body, n) => scene.deposit(body, `d${n}`));
    const { context } = scene;
    const { tenure } = context;
    const apply: typeof tenure.apply = async (set) => {
      if (set.name === 'engine.ingest') throw new LeaseLost('scene', 'the store went away');
      return tenure.apply(set);
    };
    const at = (height: number) => ({ height, id: `a-${height}`, timestamp: scene.now });
    const batch = { cursor: 'c', head: at(101), finalized: at(0), deposits, readFrom: 100 };
    await expect(ingest({ ...context, tenure: { ...tenure, apply } }, ORIGIN, batch)).rejects.toThrow(LeaseLost);
    return bodies;
  }

  it('are gone where their heights are read again and a reorg took their block meanwhile', async () => {
    const bodies = await halfOf(101);
    const [first] = bodies as [Body];
    expect(await statusOf(first)).toBe('pending');
    expect(await scene.store.request(bodies[100]?.requestId as Body['requestId'])).toBeUndefined();
    // Heights above are unknown.
    await scene.sees([], { readFrom: 98, readTo: 100 });
    expect(await statusOf(first)).toBe('pending');
    await scene.sees([], { readFrom: 100 });
    await gone(first);
    await scene.finalises(200);
    await scene.settles(scene.destination);
    await scene.settles(scene.origin);
    expect([scene.destination.sent, scene.origin.sent]).toEqual([[], []]);
    await gone(first);
  });

  it('stay where they are repeated, and below what is read', async () => {
    const [body] = (await halfOf(101)) as [Body];
    await scene.sees([scene.deposit(body, 'd0')], { readFrom: 100 });
    expect(await statusOf(body)).toBe('pending');
    await scene.sees([], { readFrom: 101 });
    expect(await statusOf(body)).toBe('pending');
    await scene.finalises(200);
    expect((await scene.depositRow({ fundingKey: '901:d0:0' })).state).toBe('final');
  });
});
