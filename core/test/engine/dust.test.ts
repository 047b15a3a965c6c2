import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { collectChain } from '../../src/engine/pots/collect.js';
import { DepositoryWatch } from '../../src/engine/pots/depository-watch.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

/** Dust and unbooked money. A unit is a micro-dollar. */
let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open({
    limits: { maxRequestMicroUsd: null, maxUnfinalMicroUsd: null, maxDailyMicroUsd: null, dustMicroUsd: 100_000n },
  });
});

afterEach(async () => {
  scene.errors.length = 0;
  await scene.close();
});

const DEPOSITORY = 'depository:901:coin-901';
const UNCLAIMED = 'unclaimed:901:coin-901';

async function nothingIsWritten(): Promise<void> {
  expect(await scene.store.unsettled(100)).toEqual([]);
  expect(await scene.store.undecided(901, 100)).toEqual([]);
  expect(await scene.store.holds('open')).toEqual([]);
  expect((await scene.store.pots('')).filter(({ account }) => account.startsWith('owed'))).toEqual([]);
}

describe('a transfer below the floor', () => {
  it.each([
    ['without an order', async () => scene.deposit(null, 'a', { amount: 99_999n })],
    ['for an order that it cannot fund', async () => scene.deposit(await scene.quote(1), 'a', { amount: 1n })],
    [
      'of a token that is not served, whatever its amount',
      async () => scene.deposit(null, 'a', { currency: 'made-up', amount: 2n ** 256n - 1n }),
    ],
  ])('%s leaves no row behind', async (_, seen) => {
    await scene.sees([await seen()]);
    await nothingIsWritten();
    expect((await scene.store.cursor(901))?.cursor).toBe('c-101');
  });

  it('as a duplicate leaves none either, however often it comes', async () => {
    const body = await scene.quote(1, { amountIn: '1000', amountOut: '990', minimumAmount: '980' });
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.sees(Array.from({ length: 20 }, (_, n) => scene.deposit(body, `d${n}`)));
    expect(await scene.store.deposits(['901:a:0', '901:d0:0'])).toHaveLength(1);
  });

  it('is dust at its last price while prices are missing', async () => {
    await scene.sees([scene.deposit(null, 'a', { amount: 1n })]);
    Object.assign(scene.context, { prices: { price: () => ({ ok: false, why: 'stale' }) } });
    await scene.sees([scene.deposit(null, 'b', { amount: 1n })]);
    await nothingIsWritten();
    await scene.sees([scene.deposit(null, 'c', { amount: 100_000n })]);
    expect((await scene.depositRow({ fundingKey: '901:c:0' })).decision).toBe('refund');
  });

  it('that funds its order is as good as any other', async () => {
    const body = await scene.quote(1, { amountIn: '1000', amountOut: '990', minimumAmount: '980' });
    await scene.sees([scene.deposit(body, 'a')]);
    expect((await scene.request(body)).fundingKey).toBe('901:a:0');
  });
});

describe('what a depository holds beyond its books', () => {
  let watch: DepositoryWatch;

  beforeEach(async () => {
    scene.origin.depositoryBalance = 0n;
    watch = new DepositoryWatch(scene.context);
    await scene.sees([]);
  });

  /** One look while the watcher continues. */
  async function look(ms: number): Promise<void> {
    const { sleep } = scene.context.clock;
    Object.assign(scene.context.clock, { sleep: () => scene.sees([]) });
    await watch.round(scene.context, scene.origin);
    Object.assign(scene.context.clock, { sleep });
    scene.now += ms;
    await scene.books();
  }

  it('is booked once it has lasted, as no one\u2019s, in one posting', async () => {
    scene.origin.depositoryBalance = 500n;
    await look(30_000);
    await look(30_000);
    expect(await scene.pot(DEPOSITORY)).toBe(0n);
    scene.now += 3_600_000;
    await look(1_000);
    expect(await scene.pot(DEPOSITORY)).toBe(500n);
    expect(await scene.pot(UNCLAIMED)).toBe(-500n);
    await look(3_600_000);
    await look(3_600_000);
    expect(await scene.pot(UNCLAIMED)).toBe(-500n);
  });

  it('is booked although anyone who looks is another one each time, as after restarts', async () => {
    scene.origin.depositoryBalance = 500n;
    for (let n = 0; n < 6; n += 1) {
      watch = new DepositoryWatch(scene.context);
      await look(15_000);
      await look(3_600_000);
      expect(await scene.pot(UNCLAIMED)).toBe(n < 4 ? 0n : -500n);
    }
  });

  it('is booked although a third party has a larger amount waiting in a pool', async () => {
    scene.origin.depositoryBalance = 500n;
    const part = 0.6 * (2 * scene.origin.facts.finalityMs + 60_000);
    await look(part);
    await look(0);
    const waiting = scene.deposit(await scene.quote(1), 'p', { state: 'mempool', block: null });
    await scene.sees([waiting]);
    await look(0);
    expect(await scene.store.unconfirmed(901, 10)).toHaveLength(1);
    await scene.sees([{ ...waiting, state: 'vanished' }]);
    await look(part);
    await look(0);
    expect(await scene.pot(UNCLAIMED)).toBe(-500n);
  });

  it('is no more than the least that was there before a restart', async () => {
    scene.origin.depositoryBalance = 20n;
    await look(30_000);
    await look(3_600_000);
    watch = new DepositoryWatch(scene.context);
    scene.origin.depositoryBalance = 500n;
    await look(60_000);
    await look(1_000);
    expect(await scene.pot(UNCLAIMED)).toBe(-20n);
  });

  it('begins again where it was gone in between, and where a lane was halted', async () => {
    const again = async () => {
      scene.origin.depositoryBalance = 500n;
      await look(60_000);
      await look(0);
      watch = new DepositoryWatch(scene.context);
    };
    await again();
    scene.origin.depositoryBalance = 0n;
    await look(0);
    await again();
    const lane = await scene.store.lane(901, SIGNER);
    const halt = (version: number, halted: string | null) =>
      scene.store.apply({
        name: 'halt',
        changes: [{ op: 'update', table: 'lanes', key: { id: lane?.id ?? '' }, version, set: { halted } }],
      });
    await halt(lane?.version ?? 0, 'its signer was used');
    await look(0);
    await halt((lane?.version ?? 0) + 1, null);
    await again();
    expect(await scene.pot(UNCLAIMED)).toBe(0n);
    await look(60_000);
    await look(0);
    expect(await scene.pot(UNCLAIMED)).toBe(-500n);
  });

  it('is no more than the least that was there all the time', async () => {
    scene.origin.depositoryBalance = 500n;
    await look(3_600_000);
    scene.origin.depositoryBalance = 20n;
    await look(3_600_000);
    scene.origin.depositoryBalance = 500n;
    await look(1_000);
    expect(await scene.pot(UNCLAIMED)).toBe(-20n);
  });

  it('is not what a deposit brought that is on its way into the books', async () => {
    const body = await scene.quote(1, { forceRefund: true });
    scene.origin.depositoryBalance = 100_000n;
    await look(3_600_000);
    await scene.sees([scene.deposit(body, 'a')]);
    for (let n = 0; n < 4; n += 1) await look(3_600_000);
    expect(await scene.pot(UNCLAIMED)).toBe(0n);
    expect(await scene.pot(DEPOSITORY)).toBe(100_000n);
  });

  it('is booked also where blocks are final at once', async () => {
    await scene.finalises(10_000);
    scene.origin.depositoryBalance = 500n;
    await look(3_600_000);
    await look(3_600_000);
    expect(await scene.pot(UNCLAIMED)).toBe(-500n);
  });

  it('is not what deposits brought that were final before anyone looked', async () => {
    await scene.finalises(10_000);
    const { sleep } = scene.context.clock;
    for (let n = 1; n <= 4; n += 1) {
      const body = await scene.quote(n, { forceRefund: true, expiresAt: scene.now + 60_000 });
      const block = { height: 200 + 20 * n, id: `b${n}`, timestamp: scene.now };
      const landed = [scene.deposit(body, `f${n}`, { block })];
      scene.origin.depositoryBalance += 100_000n;
      Object.assign(scene.context.clock, { sleep: () => scene.sees(landed.splice(0, 1)) });
      await watch.round(scene.context, scene.origin);
      Object.assign(scene.context.clock, { sleep });
      expect((await scene.depositRow({ fundingKey: `901:f${n}:0` })).state).toBe('final');
      scene.now += 3_600_000;
    }
    expect(await scene.pot(UNCLAIMED)).toBe(0n);
    expect(await scene.pot(DEPOSITORY)).toBe(400_000n);
    scene.origin.depositoryBalance += 7n;
    await look(3_600_000);
    await look(3_600_000);
    expect(await scene.pot(UNCLAIMED)).toBe(-7n);
  });

  it('is not looked for while a lane is halted or was not compared', async () => {
    scene.uncompared.add(901);
    scene.origin.depositoryBalance = 500n;
    for (let n = 0; n < 4; n += 1) await look(3_600_000);
    expect(await scene.pot(UNCLAIMED)).toBe(0n);
  });

  it('does not stand in the way of collecting, should it go', async () => {
    scene.origin.depositoryBalance = 500n;
    await look(3_600_000);
    await look(3_600_000);
    expect(await scene.pot(UNCLAIMED)).toBe(-500n);
    const body = await scene.quote(1, { expiresAt: scene.now + 60_000, deadlineAt: scene.now + 600_000 });
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    scene.destination.lands('filler:0', 501, { final: true });
    await scene.tracks(scene.destination);
    await scene.finalises(200);
    scene.origin.depositoryBalance = 100_000n;
    expect(await collectChain(scene.context, scene.origin)).toBe(true);
  });
});

describe('a transfer that cannot be recorded', () => {
  const bad = (name = 'bad') => scene.deposit(null, name, { depositor: 'x'.repeat(4_000) });

  it('is put on hold under a hold, and the cursor goes on', async () => {
    const good = await scene.quote(1);
    await scene.sees([bad(), scene.deposit(good, 'b')]);
    await scene.sees([]);
    expect((await scene.store.cursor(901))?.cursor).toBe('c-102');
    expect(await scene.store.holds('open')).toMatchObject([{ reason: 'DEPOSIT_NOT_RECORDED', amount: 100_000n }]);
    expect((await scene.request(good)).fundingKey).toBe('901:b:0');
    const [hold] = await scene.store.holds('open');
    expect(await releaseHold(scene.context, hold?.id ?? '')).toMatchObject({ ok: false, code: 'notApplicable' });
  });

  it('is one hold, however often it is seen', async () => {
    await scene.sees([bad()]);
    await scene.sees([bad()]);
    expect(await scene.store.holds('open')).toHaveLength(1);
  });

  it('is recorded by itself once that goes and it is final, and only if it is still there', async () => {
    const broken = scene.origin.currency.bind(scene.origin);
    scene.origin.currency = () => {
      throw new Error('not now');
    };
    await scene.sees([scene.deposit(null, 'a'), scene.deposit(null, 'b')]).catch(() => undefined);
    scene.origin.currency = broken;
    expect(await scene.store.holds('open')).toHaveLength(2);
    scene.origin.witnessed = ({ fundingKey }) => fundingKey === '901:a:0';
    const { sleep } = scene.context.clock;
    const round = async () => {
      Object.assign(scene.context.clock, { sleep: () => scene.sees([]) });
      await new DepositoryWatch(scene.context).round(scene.context, scene.origin);
      Object.assign(scene.context.clock, { sleep });
    };
    await round();
    expect(await scene.store.deposits(['901:a:0'])).toEqual([]);
    await scene.finalises(150);
    await round();
    expect(await scene.store.deposits(['901:a:0', '901:b:0'])).toMatchObject([
      { fundingKey: '901:a:0', state: 'final', decision: 'refund' },
    ]);
    expect((await scene.store.holds('open')).map(({ fundingKey }) => fundingKey)).toEqual(['901:b:0']);
  });
});

describe('what is reported to an operator', () => {
  it('is money outside of every pot: a hold without a posting, once, and nothing is paid for it', async () => {
    const body = await scene.quote(1);
    const stray = scene.deposit(body, 's', { stray: true });
    await scene.sees([stray]);
    await scene.sees([stray]);
    expect(await scene.store.holds('open')).toMatchObject([{ reason: 'NOT_IN_A_POT', amount: 100_000n }]);
    expect(await scene.store.request(body.requestId)).toBeUndefined();
    expect(scene.alerts.has('apart:901:NOT_IN_A_POT')).toBe(true);
    const [hold] = await scene.store.holds('open');
    const id = hold?.id ?? '';
    const message = expect.stringContaining('its release pays no one');
    const release = (to?: string, unpaid?: boolean) => releaseHold(scene.context, id, to, unpaid);
    for (const refused of [await release(), await release('recipient'), await release('recipient', true)])
      expect(refused).toMatchObject({ ok: false, code: 'notSafe', message });
    expect(await scene.store.holds('open')).toHaveLength(1);
    expect(scene.alerts.has('apart:901:NOT_IN_A_POT')).toBe(true);
    const left = { ok: true, state: 'alreadyDone' };
    for (const done of [await release(undefined, true), await release(), await release('recipient')])
      expect(done).toMatchObject(left);
    expect(await scene.store.holds('open')).toEqual([]);
    expect(scene.alerts.has('apart:901:NOT_IN_A_POT')).toBe(false);
    await scene.sees([stray]);
    expect(await scene.store.holds('open')).toEqual([]);
  });

  it('is held once where a watcher that began again reports it twice in one batch', async () => {
    const stray = scene.deposit(null, 's', { stray: true });
    await scene.sees([stray, stray]);
    const odd = { transactionHash: 't', block: { height: 102, id: 'b', timestamp: scene.now }, why: 'version 7' };
    await scene.seesUnread([odd, odd]);
    const held = (await scene.store.holds('open')).map(({ reason }) => reason);
    expect(held.sort()).toEqual(['NOT_IN_A_POT', 'TRANSACTION_NOT_READ']);
    expect(scene.errors).toEqual([]);
  });

  it('is a transaction that no one can read, and no more than a hundred of them', async () => {
    const block = { height: 101, id: 'b', timestamp: scene.now };
    const unread = Array.from({ length: 150 }, (_, n) => ({ transactionHash: `t${n}`, block, why: 'version 7' }));
    await scene.seesUnread(unread);
    expect(await scene.store.holds('open')).toHaveLength(100);
    expect(scene.alerts.has('apart:901:TRANSACTION_NOT_READ')).toBe(true);
  });
});
