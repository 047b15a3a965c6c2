import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RequestId } from '../../src/contract/ids.js';
import { counter, legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { earmarkChanges } from '../../src/engine/books/earmarks.js';
import { InventoryView } from '../../src/engine/books/inventory.js';
import { keptBack } from '../../src/engine/books/kept-back.js';
import { OverdueEarmarks } from '../../src/engine/rounds/overdue-earmarks.js';
import { quoteRow } from '../../src/testing/store-fixtures.js';
import { DESTINATION, NOW, ORIGIN, quoteBody } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';
import { inFill } from './support/top-ups.js';

/** Two assets, 100000 in, 99000 out; inventory for ten. */
const fixedRate = {
  validityMs: 30_000,
  fee: { classes: [{ bps: 10, perRootMinuteBps: 20 }] },
  maxHeldMicroUsdPerKey: 300_000n,
  maxHeldMicroUsd: 450_000n,
};
const COIN = 'coin-902';
const RESERVED = counter.reserved(DESTINATION, SIGNER, COIN);

let scene: Scene;
let outUsd: string | null;
let overdue: OverdueEarmarks;

beforeEach(async () => {
  scene = await Scene.open({ fixedRate, limits: { ...LIMITS } });
  outUsd = '1';
  const { facts } = scene.destination;
  scene.destination.facts = { ...facts, currency: { ...facts.currency, group: 'another' } };
  const price = ({ chainId }: { readonly chainId: number }) => {
    const usd = chainId === ORIGIN ? '1' : outUsd;
    return usd === null ? { ok: false, why: 'stale' } : { ok: true, usd, at: scene.now };
  };
  Object.assign(scene.context, { prices: { price } });
  overdue = new OverdueEarmarks(scene.context);
});
afterEach(() => scene.close());

const LIMITS = { maxRequestMicroUsd: null, maxUnfinalMicroUsd: null, maxDailyMicroUsd: null, dustMicroUsd: 0n };

/** A promise with its reservation in one change set, as quoting writes them. */
async function promises(
  n: number,
  { keyId = 'key-1', amount = 99_000n, ...rest }: { keyId?: string; amount?: bigint } & Partial<QuoteBody> = {},
) {
  const body = quoteBody(n, { ...rest, features: ['fixed_rate'], amountOut: amount.toString() });
  const { requestId: id, expiresAt, deadlineAt } = body;
  const row = quoteRow(n, { expiresAt, deadlineAt, keyId, body: JSON.stringify(body), amountUsd: 100_000 });
  const kept = { id, keyId, originChainId: ORIGIN, chainId: DESTINATION, currency: COIN, expiresAt, deadlineAt };
  const changes = earmarkChanges(scene.context, { ...kept, amount, value: 100_000n });
  const outcome = await scene.store.apply({
    name: 'quoting.persist',
    changes: [{ op: 'insert', table: 'quotes', row }, ...changes],
  });
  return { body, outcome };
}

async function promised(n: number, options = {}): Promise<QuoteBody> {
  const { body, outcome } = await promises(n, options);
  expect(outcome).toEqual({ ok: true });
  return body;
}

const earmark = async (id: RequestId) => (await scene.store.earmarks([id]))[0]?.state;
const counted = async () =>
  Promise.all([RESERVED, counter.earmarkedBy('key-1'), counter.earmarked].map((name) => scene.pot(name)));
const fill = (body: QuoteBody) => scene.leg(legId.fill(body.orderId));

/** Past the validity, by the service's clock and the origin's newest block. */
async function passes(ms: number): Promise<void> {
  scene.now = NOW + ms;
  await scene.sees([]);
  while (await overdue.round());
}

describe('a fixed rate', () => {
  it('keeps its output from the moment it is promised, so that others are offered less', async () => {
    const view = new InventoryView();
    await view.refresh(scene.context);
    const before = view.available(scene.context, DESTINATION, COIN);
    await promised(1);
    expect(await counted()).toEqual([99_000n, 100_000n, 100_000n]);
    await view.refresh(scene.context);
    expect(view.available(scene.context, DESTINATION, COIN)).toBe(before - 99_000n);
  });

  it('is kept whatever the price does between the quote, the decision and the signature, and handed to its fill', async () => {
    const body = await promised(1);
    outUsd = '2';
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await fill(body)).toMatchObject({ state: 'owed', amount: 99_000n });
    expect(await earmark(body.requestId)).toBe('claimed');
    expect(await counted()).toEqual([99_000n, 0n, 0n]);
    outUsd = null;
    await scene.pays(scene.destination);
    expect(scene.destination.prepared[0]?.legs[0]?.amount).toBe(99_000n);
    await passes(600_000);
    expect(await earmark(body.requestId)).toBe('claimed');
  });

  it('has its output although all else of the inventory was promised to others', async () => {
    const body = await promised(1);
    for (let n = 2; n <= 12; n += 1) await scene.sees([scene.deposit(await scene.quote(n), `other-${n}`)]);
    const others = await Promise.all(
      [2, 11, 12].map(async (n) => (await scene.leg(legId.fill(quoteBody(n).orderId)))?.state),
    );
    expect(others).toContain('short');
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await fill(body)).toMatchObject({ state: 'owed', amount: 99_000n });
  });

  it('that is paid in part gives back what its fill does not take', async () => {
    const body = await promised(1);
    await scene.sees([scene.deposit(body, 'a', { amount: 99_500n })]);
    expect(await fill(body)).toMatchObject({ state: 'owed', amount: 98_505n });
    expect(await counted()).toEqual([98_505n, 0n, 0n]);
  });

  it('whose payment is refunded gives all back', async () => {
    const body = await promised(1);
    outUsd = '9';
    const late = { height: 101, id: 'late', timestamp: body.expiresAt + 1 };
    await scene.sees([scene.deposit(body, 'a', { block: late })]);
    expect(await scene.leg(legId.refund('901:a:0'))).toMatchObject({ reason: 'SLIPPAGE' });
    expect(await earmark(body.requestId)).toBe('refused');
    expect(await counted()).toEqual([0n, 0n, 0n]);
  });

  it('is not taken by who sends a trifle under its order', async () => {
    const body = await promised(1);
    await scene.sees([scene.deposit(body, 'dust', { amount: 1n })]);
    expect(await earmark(body.requestId)).toBe('kept');
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await fill(body)).toMatchObject({ state: 'owed', amount: 99_000n });
  });
});

describe('a fixed rate with coin for the calls of its order', () => {
  /** The coin follows its price, down to 4,900. */
  async function coined(): Promise<QuoteBody> {
    const { topUp, ...rest } = inFill();
    if (topUp === undefined) throw new Error('no coin');
    const body = await promised(1, { ...rest, amount: 93_900n, topUp: { ...topUp, minimumAmount: '4900' } });
    expect(await counted()).toEqual([93_900n, 100_000n, 100_000n]);
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await earmark(body.requestId)).toBe('claimed');
    expect(await counted()).toEqual([98_900n, 0n, 0n]);
    return body;
  }

  it('keeps the output alone, and claims the coin with it once it is paid', async () => {
    const body = await coined();
    outUsd = '1.03';
    for (const _ of [1, 2]) await scene.pays(scene.destination);
    const [[leg] = []] = scene.destination.prepared.map(({ legs }) => legs);
    expect(leg).toMatchObject({ amount: 93_900n, topUp: { amount: 4_951n } });
    expect(await fill(body)).toMatchObject({ state: 'bound' });
  });

  it('gives both back, and the deposit whole, where the coin became too expensive', async () => {
    const body = await coined();
    outUsd = '1.05';
    await scene.pays(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'void', reason: 'SLIPPAGE' });
    expect(await scene.leg(legId.refund('901:a:0'))).toMatchObject({ covers: 100_000n });
    expect(await counted()).toEqual([0n, 0n, 0n]);
    expect(scene.destination.prepared).toEqual([]);
  });
});

describe('a payment after the quote is over', () => {
  it('is filled at the price of then, also where that moves again before it is signed', async () => {
    const body = await promised(1);
    const late = { height: 101, id: 'late', timestamp: body.expiresAt + 1 };
    outUsd = '1.005';
    await scene.sees([scene.deposit(body, 'a', { block: late })]);
    expect((await fill(body))?.amount).toBe(98_486n);
    outUsd = '1.009';
    await scene.pays(scene.destination);
    expect(scene.destination.prepared[0]?.legs[0]?.amount).toBe(98_116n);
  });
});

describe('what is kept', () => {
  it('ends once the origin was read past the validity, and not before', async () => {
    const body = await promised(1);
    scene.now = body.expiresAt + 5_000;
    await overdue.round();
    expect(await earmark(body.requestId)).toBe('kept');
    await passes(36_000);
    await passes(42_000);
    expect(await earmark(body.requestId)).toBe('expired');
    expect(await counted()).toEqual([0n, 0n, 0n]);
    await scene.idle();
  });

  it('ends at the deadline whatever the origin does', async () => {
    const body = await promised(1);
    scene.now = body.deadlineAt + 1;
    await overdue.round();
    expect(await earmark(body.requestId)).toBe('expired');
    await scene.idle();
  });

  it('stays for a payment in time that waits to be decided', async () => {
    const body = await promised(1);
    scene.origin.acceptDepth = () => 1_000;
    await scene.sees([scene.deposit(body, 'a')]);
    await passes(60_000);
    expect(await earmark(body.requestId)).toBe('kept');
    scene.origin.acceptDepth = () => 0;
    scene.now += 5_000;
    await scene.sees([]);
    expect(await fill(body)).toMatchObject({ state: 'owed', amount: 99_000n });
    expect(await counted()).toEqual([99_000n, 0n, 0n]);
  });

  it('stays while another limit keeps the fill back, and is the fill’s once that is over', async () => {
    Object.assign(scene.context.policy, { limits: { ...LIMITS, maxDailyMicroUsd: 1n } });
    const body = await promised(1);
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await fill(body)).toMatchObject({ state: 'short', reason: 'SOLVER_CAPACITY_EXCEEDED' });
    await passes(60_000);
    expect(await earmark(body.requestId)).toBe('kept');
    Object.assign(scene.context.policy, { limits: LIMITS });
    scene.now += 20_000;
    await scene.settles(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'owed' });
    expect(await earmark(body.requestId)).toBe('claimed');
    expect(await counted()).toEqual([99_000n, 0n, 0n]);
  });

  it('ends with a fill that is abandoned', async () => {
    Object.assign(scene.context.policy, { limits: { ...LIMITS, maxDailyMicroUsd: 1n } });
    const body = await promised(1);
    await scene.sees([scene.deposit(body, 'a')]);
    scene.now = body.deadlineAt;
    await scene.head(510);
    await scene.settles(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'void' });
    expect(await earmark(body.requestId)).toBe('refused');
    expect(await counted()).toEqual([0n, 0n, 0n]);
  });

  it('is not given away by a process whose wall clock is ahead, while another may still fill', async () => {
    const body = await promised(1);
    scene.origin.acceptDepth = () => 1_000;
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.head(501);
    scene.wallAheadMs = 3_600_000;
    await overdue.round();
    expect(await earmark(body.requestId)).toBe('kept');
    // The deciding process has a correct clock.
    scene.wallAheadMs = 0;
    scene.origin.acceptDepth = () => 0;
    scene.now += 1_000;
    await scene.sees([]);
    expect(await fill(body)).toMatchObject({ state: 'owed', amount: 99_000n });
    expect(await earmark(body.requestId)).toBe('claimed');
    expect(await counted()).toEqual([99_000n, 0n, 0n]);
  });

  it('is not kept by a wall clock that is behind', async () => {
    const body = await promised(1);
    scene.wallAheadMs = -86_400_000;
    await passes(42_000);
    expect(await earmark(body.requestId)).toBe('expired');
    expect(await counted()).toEqual([0n, 0n, 0n]);
  });

  it('does not last for ever where both chains stand still and the wall clock is behind', async () => {
    const body = await promised(1);
    await scene.sees([]);
    await scene.head(501);
    scene.wallAheadMs = -86_400_000;
    scene.now = body.deadlineAt;
    await overdue.round();
    expect(await earmark(body.requestId)).toBe('kept');
    scene.now = body.deadlineAt + 6_000;
    await overdue.round();
    expect(await earmark(body.requestId)).toBe('expired');
  });

  it('ends once, no matter which learns of it first: the payment or the round', async () => {
    const body = await promised(1);
    scene.now = body.deadlineAt + 1;
    await Promise.all([overdue.round(), scene.sees([scene.deposit(body, 'a')])]);
    await overdue.round();
    expect(await earmark(body.requestId)).not.toBe('kept');
    const [reserved, own, all] = await counted();
    expect([own, all]).toEqual([0n, 0n]);
    expect(reserved).toBe((await fill(body))?.state === 'owed' ? 99_000n : 0n);
  });
});

describe('nothing is promised', () => {
  const refusedBy = async (n: number, options = {}) => {
    const before = await counted();
    const { body, outcome } = await promises(n, options);
    expect(outcome.ok).toBe(false);
    expect(await counted()).toEqual(before);
    expect(await scene.store.quote(body.requestId)).toBeUndefined();
    return outcome.ok ? '' : outcome.conflict.key;
  };

  it('beyond what the inventory holds, in the same change set or not at all', async () => {
    const held = await scene.pot(`inventory:${DESTINATION}:${SIGNER}:${COIN}`);
    const all = held - keptBack(scene.context, DESTINATION, COIN);
    expect(await refusedBy(1, { amount: all + 1n })).toBe(RESERVED);
    await promised(2, { amount: all });
    expect(await refusedBy(3, { amount: 1n })).toBe(RESERVED);
  });

  it('beyond what one key may have, nor what all keys may', async () => {
    for (const n of [1, 2, 3]) await promised(n);
    expect(await refusedBy(4)).toBe(counter.earmarkedBy('key-1'));
    await promised(5, { keyId: 'key-2' });
    expect(await refusedBy(6, { keyId: 'key-2' })).toBe(counter.earmarked);
    await passes(60_000);
    await promised(7);
  });

  it('to more than there is room for, however many ask at once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => promises(n + 1, { keyId: `key-${n}`, amount: 300_000n })),
    );
    const kept = outcomes.filter(({ outcome }) => outcome.ok);
    expect(kept.length).toBe(3);
    expect(await scene.pot(RESERVED)).toBe(900_000n);
  });
});
