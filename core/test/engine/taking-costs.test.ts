import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DepositObservation } from '../../src/contract/index.js';
import { solverCoinInDepository } from '../../src/engine/books/solver-coin-in-depository.js';
import { WatchSession } from '../../src/engine/deposits/watch-session.js';
import { DepositoryWatch } from '../../src/engine/pots/depository-watch.js';
import { Scene } from './support/scene.js';

// An account depository with code: its balance grows by less than a transfer brings.

const POT = 'depository:901:coin-901';
const TOKENS = 'depository:901:token-901';
const OWED = 'owed:901:coin-901';
const GAS = 'gas:901:coin-901';
const UNCLAIMED = 'unclaimed:901:coin-901';
const FINAL = { state: 'final', cost: 7n } as const;

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open({
    limits: { maxRequestMicroUsd: null, maxUnfinalMicroUsd: null, maxDailyMicroUsd: null, dustMicroUsd: 1_000n },
  });
  scene.origin.token = 'token-901';
});

afterEach(async () => {
  scene.errors.length = 0;
  await scene.close();
});

/** 100,000 for a separate order. */
async function seen(n: number, overrides: Partial<DepositObservation> = {}): Promise<DepositObservation> {
  return scene.deposit(await scene.quoteOf(n), `d${n}`, overrides);
}

async function booked(): Promise<readonly bigint[]> {
  return [await scene.pot(POT), await scene.pot(GAS), await scene.pot(OWED)];
}

describe('what it cost the depository to take a deposit', () => {
  it('is booked with it where that is final when it is seen first, and once', async () => {
    const deposit = await seen(1, FINAL);
    await scene.sees([deposit]);
    expect(await booked()).toEqual([99_993n, 7n, -100_000n]);
    await scene.sees([deposit]);
    scene.session = new WatchSession(scene.context.clock);
    await scene.sees([deposit, await seen(2, FINAL)]);
    expect(await booked()).toEqual([199_986n, 14n, -200_000n]);
    expect(await solverCoinInDepository(scene.context, scene.origin)).toBe(-14n);
  });

  it('is booked when that becomes final, however it was seen before', async () => {
    await scene.sees([await seen(1)]);
    await scene.sees([await seen(2, { state: 'mempool', block: null })]);
    await scene.sees([await seen(3)]);
    await scene.sees([await seen(3, { state: 'vanished', block: null })]);
    expect(await booked()).toEqual([100_000n, 0n, -100_000n]);
    const all = [await seen(1, FINAL), await seen(2, FINAL), await seen(3, FINAL)];
    await scene.finalises(101, all);
    expect(await booked()).toEqual([299_979n, 21n, -300_000n]);
    await scene.sees(all);
    expect(await booked()).toEqual([299_979n, 21n, -300_000n]);
  });

  it('is native coin, whatever was deposited', async () => {
    await scene.sees([await seen(1, FINAL), await seen(2, { ...FINAL, currency: 'token-901' })]);
    expect(await booked()).toEqual([99_986n, 14n, -100_000n]);
    expect(await scene.pot(TOKENS)).toBe(100_000n);
  });

  it('is booked again by a ledger that does not contain it', async () => {
    await scene.sees([await seen(1, FINAL)]);
    await scene.close();
    scene = await Scene.open();
    await scene.sees([await seen(1, FINAL)]);
    expect(await booked()).toEqual([99_993n, 7n, -100_000n]);
  });

  it.each([
    ['less than nothing', { state: 'final', cost: -1n }],
    ['more than there is', { state: 'final', cost: 2n ** 256n }],
    ['something before it is final', { state: 'included', cost: 7n }],
  ] as const)('is refused where it is %s', async (_, wrong) => {
    await scene.sees([await seen(1, wrong)]);
    expect(await scene.store.holds('open')).toMatchObject([{ reason: 'DEPOSIT_NOT_RECORDED' }]);
    await scene.sees([await seen(2)]);
    await scene.sees([await seen(2, wrong)]);
    expect(scene.session.pinned).toBe(true);
    expect(await booked()).toEqual([100_000n, 0n, -100_000n]);
  });
});

describe('what it cost to take a transfer that leaves no row', () => {
  const ignored = (name: string, overrides: Partial<DepositObservation>) =>
    scene.deposit(null, name, { ...FINAL, ...overrides });

  it('is not booked where that brought as much', async () => {
    await scene.sees([ignored('a', { amount: 7n }), ignored('b', { amount: 500n })]);
    expect(await booked()).toEqual([0n, 0n, 0n]);
  });

  it('is booked for what that delivered less, once it is final', async () => {
    const { cost: _, ...early } = ignored('a', { amount: 5n });
    await scene.sees([{ ...early, state: 'included' }]);
    expect(await booked()).toEqual([0n, 0n, 0n]);
    scene.origin.depositoryBalance = 100_000n;
    await scene.sees([ignored('z', { amount: 100_000n })]);
    await scene.sees([ignored('a', { amount: 5n }), ignored('b', { amount: 500n, currency: 'token-901' })]);
    await scene.sees([ignored('c', { amount: 10n ** 18n, currency: 'made-up' })]);
    expect(await booked()).toEqual([100_000n - 7n - 9n - 7n, 7n + 9n + 7n, -100_000n]);
  });
});

describe('what a depository is found to hold beyond its books', () => {
  /** One look while the watcher sees these. */
  async function look(watch: DepositoryWatch, landed: DepositObservation[] = []): Promise<void> {
    const { sleep } = scene.context.clock;
    Object.assign(scene.context.clock, { sleep: () => scene.sees(landed.splice(0, 1)) });
    await watch.round(scene.context, scene.origin);
    Object.assign(scene.context.clock, { sleep });
    scene.now += 3_600_000;
  }

  it('is no deposit that was final when it was seen first, nor what that cost', async () => {
    scene.origin.depositoryBalance = 0n;
    const watch = new DepositoryWatch(scene.context);
    await scene.finalises(10_000);
    for (let n = 1; n <= 4; n += 1) {
      await scene.quote(n, { forceRefund: true, expiresAt: scene.now + 60_000 });
      const block = { height: 200 + 20 * n, id: `b${n}`, timestamp: scene.now };
      scene.origin.depositoryBalance += 100_000n - 7n;
      await look(watch, [await seen(n, { ...FINAL, block })]);
    }
    expect(await scene.pot(UNCLAIMED)).toBe(0n);
    expect(await scene.pot(POT)).toBe(scene.origin.depositoryBalance);
    scene.origin.depositoryBalance += 3n;
    for (let n = 0; n < 3; n += 1) await look(watch);
    expect(await scene.pot(UNCLAIMED)).toBe(-3n);
  });
});

describe('a transfer that is put on hold', () => {
  /** Nothing can be recorded meanwhile. */
  async function failing(work: () => Promise<unknown>): Promise<void> {
    const { currency } = scene.origin;
    scene.origin.currency = () => {
      throw new Error('not now');
    };
    await work().catch(() => undefined);
    scene.origin.currency = currency;
  }

  async function tryAgain(): Promise<void> {
    const { sleep } = scene.context.clock;
    Object.assign(scene.context.clock, { sleep: () => scene.sees([]) });
    await new DepositoryWatch(scene.context).round(scene.context, scene.origin);
    Object.assign(scene.context.clock, { sleep });
  }

  it('keeps what it cost, and what was paid with', async () => {
    const paid = { currency: 'token-901', amount: 5n } as const;
    await failing(async () => scene.sees([scene.deposit(null, 'a', { ...FINAL, paid })]));
    expect(await scene.store.holds('open')).toHaveLength(1);
    expect(await booked()).toEqual([0n, 0n, 0n]);
    await scene.finalises(150);
    await tryAgain();
    expect(await scene.store.holds('open')).toEqual([]);
    expect(await booked()).toEqual([99_993n, 7n, -100_000n]);
    const row = await scene.depositRow({ fundingKey: '901:a:0' });
    expect(JSON.parse(row.paidWith ?? '')).toEqual({ currency: 'token-901', amount: '5' });
  });

  it('keeps what is reported of it once it is final', async () => {
    await failing(async () => scene.sees([scene.deposit(null, 'a')]));
    await failing(async () => scene.sees([scene.deposit(null, 'a', FINAL)]));
    await failing(async () => scene.sees([scene.deposit(null, 'a')]));
    expect(await scene.store.holds('open')).toHaveLength(1);
    await scene.finalises(150);
    await tryAgain();
    expect(await booked()).toEqual([99_993n, 7n, -100_000n]);
  });

  it('takes back no more than it left, where that was booked as no one\u2019s meanwhile', async () => {
    await failing(async () => scene.sees([scene.deposit(null, 'a', FINAL)]));
    scene.origin.depositoryBalance = 100_000n - 7n + 500n;
    const watch = new DepositoryWatch(scene.context);
    scene.origin.witnessed = () => false;
    for (let n = 0; n < 4; n += 1) {
      const { sleep } = scene.context.clock;
      Object.assign(scene.context.clock, { sleep: () => scene.sees([]) });
      await watch.round(scene.context, scene.origin);
      Object.assign(scene.context.clock, { sleep });
      scene.now += 60_000;
    }
    expect(await scene.pot(UNCLAIMED)).toBe(-100_493n);
    scene.origin.witnessed = () => true;
    await scene.finalises(150);
    await tryAgain();
    expect(await booked()).toEqual([100_493n, 7n, -100_000n]);
    expect(await scene.pot(UNCLAIMED)).toBe(-500n);
  });
});
