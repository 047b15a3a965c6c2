import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainAdapter, LegPaid } from '../../src/contract/index.js';
import { payoutId } from '../../src/domain/fee-claim.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';
import { ASK, COIN, claimLeg, EARNED, GAS, Shop } from './support/shop.js';

let scene: Scene;
let shop: Shop;

const LEG = claimLeg(0);
const SECOND = claimLeg(1);
const PART = 4_000n;
const ACCOUNT = { service: 'solver', chainId: ORIGIN, wallet: 'shop', currency: COIN };

const payment = (change: Partial<LegPaid> = {}): LegPaid => ({
  hash: '0xlost',
  block: { height: 140, id: 'b140', timestamp: scene.now },
  final: true,
  sender: SIGNER,
  currency: COIN,
  recipient: 'till',
  moved: EARNED - GAS,
  ...change,
});

beforeEach(async () => {
  scene = await Scene.open();
  shop = new Shop(scene);
  await shop.earn(1);
});

afterEach(async () => {
  scene.errors.length = 0;
  await scene.close();
});

describe('a ledger that lost a claim (G15)', () => {
  const lost = (change: Partial<LegPaid> = {}) => scene.origin.paid.set(LEG, payment(change));

  beforeEach(async () => {
    // However old, its loss counts forever.
    await markRestored(scene.store, scene.now - 30 * 86_400_000);
    await shop.claim();
  });

  it('finds it paid under the same number, and pays nothing more', async () => {
    lost();
    await shop.settles();
    expect(await scene.leg(LEG)).toMatchObject({ state: 'done', amount: EARNED - GAS });
    expect(await shop.books()).toEqual([0n, 0n, 0n]);
    expect(scene.origin.prepared).toEqual([]);
  });

  it('holds it where the lost one went to another account', async () => {
    lost({ recipient: 'safe' });
    await shop.settles();
    expect(await scene.leg(LEG)).toMatchObject({ state: 'held' });
    expect(await shop.owed()).toBe(0n);
    expect(scene.origin.prepared).toEqual([]);
  });

  it('holds it, and books what the lost one paid to another account', async () => {
    lost({ recipient: 'safe', moved: 4_000n - GAS });
    await shop.settles();
    const { claim: row, leg } = (await scene.store.feeClaims(['shop'], 1))[0] ?? {};
    expect([row?.id !== undefined, leg?.state, leg?.includedAt]).toEqual([true, 'held', null]);
    expect([...scene.alerts]).toContain(`claim:${LEG}`);
    expect(await shop.books()).toEqual([EARNED - 4_000n, 0n, 0n]);
    expect((await shop.offered()).amount).toBe(EARNED - 4_000n);
  });

  it('owes what the lost one did not take', async () => {
    lost({ moved: 4_000n - GAS });
    await shop.settles();
    expect(await scene.leg(LEG)).toMatchObject({ state: 'done', amount: 4_000n - GAS });
    expect(await shop.books()).toEqual([EARNED - 4_000n, 0n, 0n]);
  });

  it('pays what was never paid, and abandons nothing by itself', async () => {
    await shop.settles();
    expect(scene.origin.prepared).toHaveLength(1);
  });

  it('holds what its chain refuses, because the lost one may still land', async () => {
    scene.origin.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED', message: 'no' });
    await shop.settles();
    expect(await scene.leg(LEG)).toMatchObject({ state: 'held' });
    expect(await shop.owed()).toBe(0n);
  });
});

describe('a ledger that lost a claim of more than is claimed now (G3, G15)', () => {
  it('takes all that was paid off what is owed, and lets nothing of it be claimed again', async () => {
    await markRestored(scene.store, scene.now);
    await shop.claim({ amount: PART });
    scene.origin.paid.set(LEG, payment());
    await shop.settles();
    expect(await scene.leg(LEG)).toMatchObject({ state: 'done', amount: EARNED - GAS });
    expect(await shop.books()).toEqual([0n, 0n, 0n]);
    expect(await shop.offerFees({ ...ASK, amount: PART })).toMatchObject({ code: 'tooMuch' });
    expect(scene.origin.prepared).toEqual([]);
  });

  it('does so, and takes no claim meanwhile, where it was not informed that it was restored', async () => {
    await shop.claim({ amount: PART });
    scene.origin.paid.set(LEG, payment({ final: false }));
    scene.origin.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'ORDER_ALREADY_FILLED', message: 'no' });
    await shop.settles();
    expect(await shop.offerFees({ ...ASK, amount: PART })).toMatchObject({ code: 'underWay' });
    scene.origin.paid.set(LEG, payment());
    scene.now += 2_000;
    await shop.settles();
    expect(await scene.leg(LEG)).toMatchObject({ state: 'done', amount: EARNED - GAS });
    expect(await shop.books()).toEqual([0n, 0n, 0n]);
    expect(scene.origin.prepared).toEqual([]);
    // The next claim uses the next id.
    scene.now += 1_000;
    await shop.earn(2);
    await shop.claim({ amount: PART });
    expect(await scene.leg(SECOND)).toMatchObject({ orderId: payoutId(ACCOUNT, 1n) });
  });

  it('takes no other claim before it knows the result of the previous one', async () => {
    await markRestored(scene.store, scene.now);
    await shop.claim({ amount: PART });
    expect(await shop.offerFees({ ...ASK, amount: PART })).toMatchObject({ code: 'underWay' });
    await scene.settles(scene.origin);
    await scene.settles(scene.origin);
    expect(await scene.leg(LEG)).toMatchObject({ state: 'bound' });
    expect(await shop.offerFees({ ...ASK, amount: PART })).toMatchObject({ code: 'underWay' });
    await shop.paidUnder(0);
    expect((await shop.claim({ amount: PART })).outcome).toMatchObject({ state: 'accepted' });
  });

  it('takes another claim after one that is held with nothing known to be paid, and none after one whose payout no one can read', async () => {
    await markRestored(scene.store, scene.now);
    await shop.claim({ amount: PART });
    scene.origin.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED', message: 'no' });
    await shop.settles();
    expect(await scene.leg(LEG)).toMatchObject({ state: 'held' });
    expect((await shop.claim({ amount: PART })).outcome).toMatchObject({ state: 'accepted' });
    // The id of the possibly unpaid lost claim: only the first is paid.
    for (const leg of [LEG, SECOND]) expect(await scene.leg(leg)).toMatchObject({ orderId: payoutId(ACCOUNT, 0n) });
    scene.origin.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'ORDER_ALREADY_FILLED', message: 'no' });
    await shop.settles();
    expect(await scene.leg(SECOND)).toMatchObject({ state: 'held', reason: 'ORDER_ALREADY_FILLED' });
    expect(await shop.offerFees(ASK)).toMatchObject({ code: 'unavailable' });
  });

  it('pays nothing before its lanes were compared with their chain', async () => {
    scene.uncompared.add(ORIGIN);
    await shop.claim({ amount: PART });
    await scene.settles(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    scene.uncompared.delete(ORIGIN);
    scene.now += 2_000;
    await scene.settles(scene.origin);
    expect(scene.origin.prepared).toHaveLength(1);
  });

  it('looks for each of them as far back as the last claim that it is certain of', async () => {
    const asked: number[] = [];
    const paidBy: ChainAdapter['paidBy'] = async (_leg, since) => {
      asked.push(since);
      return undefined;
    };
    Object.assign(scene.origin, { paidBy });
    const settled = async (key: number): Promise<void> => {
      await shop.settles();
      await shop.paidUnder(key);
    };
    await shop.claim({ amount: 1_000n });
    const certain = scene.now;
    await settled(0);
    scene.now += 30 * 86_400_000;
    await markRestored(scene.store, scene.now);
    for (const key of [1, 2]) {
      await shop.claim({ amount: 1_000n });
      await settled(key);
      scene.now += 30 * 86_400_000;
    }
    expect(asked.length).toBeGreaterThan(1);
    expect(new Set(asked)).toEqual(new Set([certain - 86_400_000]));
  });
});
