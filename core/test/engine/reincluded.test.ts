import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DepositObservation } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import type { SwapIn } from '../../src/domain/swap-in.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { Scene } from './support/scene.js';

const KEY = 'filler:0';
const FUNDING = '901:a:0';
const ALERT = `deposit-changed:${FUNDING}`;
const RESERVED = '#reserved:902:filler:coin-902';
const UNFINAL = '#unfinal:901:coin-901';
const DEPOSITORY = 'depository:901:coin-901';
const OWED = 'owed:901:coin-901';

const SWAP: SwapIn = {
  side: { chainId: 901, currency: 'gov', symbol: 'GOV', decimals: 6 },
  usd: '1',
  amount: '101000',
  least: '99000',
  most: '101000',
  source: 'pools',
  rules: {},
  work: '100',
};

let scene: Scene;
let body: QuoteBody;
let height = 101;

beforeEach(async () => {
  scene = await Scene.open();
  height = 101;
});
afterEach(() => scene.close());

const swapped = async (change: Partial<QuoteBody> = {}) => {
  body = await scene.quote(1, { swapIn: SWAP, ...change });
};
const fill = () => scene.leg(legId.fill(body.orderId));
const refund = () => scene.leg(legId.refund(FUNDING));
const excess = () => scene.leg(legId.excess(FUNDING));
const row = () => scene.depositRow({ fundingKey: FUNDING });

function brings(amount: bigint, change: Partial<DepositObservation> = {}): DepositObservation {
  const block = { height, id: `b-${height}-${amount}`, timestamp: scene.now };
  return scene.deposit(body, 'a', { amount, block, ...change });
}

/** Reincluded in another block, where the pools give `amount`. */
async function reincluded(amount: bigint, change: Partial<DepositObservation> = {}): Promise<void> {
  height += 1;
  await scene.sees([brings(amount, change)], { rewoundTo: 100 });
}

async function held() {
  return (await scene.store.holds('open')).filter(({ reason }) => reason === 'DEPOSIT_CHANGED');
}

async function status(): Promise<string> {
  const { status: now, failReason } = await scene.request(body);
  return failReason === null ? now : `${now} ${failReason}`;
}

/** Books and views follow the arrived amount. */
async function follows(amount: bigint): Promise<void> {
  expect(await row()).toMatchObject({ state: 'included', amount });
  expect(await scene.pot(DEPOSITORY)).toBe(amount);
  expect(await scene.pot(OWED)).toBe(-amount);
  expect(JSON.parse((await scene.request(body)).actual ?? '')).toMatchObject({ amountIn: amount.toString() });
  expect([...scene.alerts]).not.toContain(ALERT);
  expect(await held()).toEqual([]);
}

/** The sent fill remains; nothing else is paid, and an operator is alerted. */
async function stays(): Promise<void> {
  expect(await row()).toMatchObject({ state: 'vanished', amount: 100_000n });
  expect(await scene.pot(DEPOSITORY)).toBe(0n);
  expect([...scene.alerts]).toContain(ALERT);
  // Also after a restart, which loses alerts.
  expect(await held()).toHaveLength(1);
  const sent = scene.destination.prepared.length;
  for (let round = 0; round < 3; round += 1) {
    await scene.pays(scene.origin);
    await scene.pays(scene.destination);
  }
  expect(scene.origin.prepared).toHaveLength(0);
  expect(scene.destination.prepared).toHaveLength(sent);
}

async function refunds(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await scene.pays(scene.origin);
}

async function filled(): Promise<void> {
  await scene.pays(scene.destination);
  scene.destination.lands(KEY, 501, { final: true });
  await scene.tracks(scene.destination);
  await scene.finalises(200);
}

describe('a deposit that a reorg makes again with another amount', () => {
  it('is decided on by what arrived, where nothing was decided', async () => {
    scene.origin.depth = 3;
    await swapped();
    await scene.sees([brings(100_000n)]);
    await reincluded(99_500n);
    await follows(99_500n);
    expect(await status()).toBe('pending');
    expect(await fill()).toBeUndefined();
    for (let blocks = 0; blocks < 5; blocks += 1) await scene.sees([]);
    expect(await fill()).toMatchObject({ state: 'owed', covers: 99_500n });
    await filled();
    expect(await status()).toBe('success');
    expect((await row()).collectable).toBe(99_500n);
    await scene.idle();
  });

  it.each<[string, bigint, bigint]>([
    ['less', 99_500n, 0n],
    ['a little more', 100_700n, 0n],
    ['far more', 130_000n, 29_000n],
  ])('is filled by what arrived, where its fill was owed, and it is %s', async (_what, amount, above) => {
    await swapped();
    await scene.sees([brings(100_000n)]);
    const before = (await fill())?.amount ?? 0n;
    await reincluded(amount);
    await follows(amount);
    const now = await fill();
    expect(now).toMatchObject({ state: 'owed', reason: null, covers: amount - above });
    expect((now?.amount ?? 0n) > before).toBe(amount > 100_000n);
    expect(await scene.pot(RESERVED)).toBe(now?.amount);
    expect((await excess())?.covers ?? 0n).toBe(above);
    expect(await status()).toBe('pending');
    await filled();
    expect(scene.destination.prepared).toHaveLength(1);
    expect(scene.destination.prepared[0]?.legs[0]?.amount).toBe(now?.amount);
    expect(await status()).toBe('success');
    expect(await scene.pot(UNFINAL)).toBe(0n);
    if (above === 0n) expect((await row()).collectable).toBe(amount);
    await scene.idle();
  });

  it('is refunded whole where it is too little, and filled once it is enough again', async () => {
    await swapped();
    await scene.sees([brings(100_000n)]);
    await reincluded(50_000n);
    await follows(50_000n);
    expect(await refund()).toMatchObject({ state: 'blocked', amount: 50_000n, covers: 50_000n });
    expect(await fill()).toMatchObject({ state: 'void' });
    expect(await status()).toBe('pending DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
    expect(await scene.pot(RESERVED)).toBe(0n);
    expect(await scene.pot(UNFINAL)).toBe(0n);
    await reincluded(100_000n);
    await follows(100_000n);
    expect(await refund()).toMatchObject({ state: 'void' });
    expect(await fill()).toMatchObject({ state: 'owed', covers: 100_000n });
    expect(await status()).toBe('pending');
    await reincluded(50_001n);
    await scene.pays(scene.destination);
    await scene.finalises(200);
    await refunds();
    expect(scene.destination.prepared).toHaveLength(0);
    expect(scene.origin.prepared[0]?.legs[0]).toMatchObject({ covers: 50_001n });
    scene.origin.lands(KEY, 201, { final: true });
    await scene.tracks(scene.origin);
    expect(await status()).toBe('refund DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
    await scene.idle();
  });

  it('is followed from amount to amount, also by way of a block without it', async () => {
    await swapped();
    await scene.sees([brings(100_000n)]);
    for (const amount of [99_500n, 100_300n, 100_000n, 99_200n]) {
      await scene.sees([], { rewoundTo: 100 });
      expect(await status()).toBe('failure DEPOSIT_REORGED');
      expect(await scene.pot(DEPOSITORY)).toBe(0n);
      await reincluded(amount);
      await follows(amount);
      expect(await fill()).toMatchObject({ state: 'owed', covers: amount });
    }
    await filled();
    expect(await status()).toBe('success');
    await scene.idle();
  });

  it('is refunded as what arrived where its refund was owed', async () => {
    await swapped({ forceRefund: true });
    await scene.sees([brings(100_000n)]);
    expect(await refund()).toMatchObject({ state: 'blocked', covers: 100_000n });
    await reincluded(99_500n);
    await follows(99_500n);
    expect(await refund()).toMatchObject({ state: 'blocked', covers: 99_500n, amount: 99_500n });
    await scene.finalises(200);
    await refunds();
    expect(scene.origin.prepared).toHaveLength(1);
    expect(scene.origin.prepared[0]?.legs[0]).toMatchObject({ covers: 99_500n });
    scene.origin.lands(KEY, 201, { final: true });
    await scene.tracks(scene.origin);
    expect(await status()).toBe('refund UNKNOWN');
    await scene.idle();
  });

  it('is a duplicate still where it was one', async () => {
    await swapped();
    await scene.sees([brings(100_000n)]);
    await scene.sees([scene.deposit(body, 'b')]);
    height += 1;
    await scene.sees([{ ...brings(99_500n), fundingKey: '901:b:0', transactionHash: 'b' } as DepositObservation]);
    expect(await scene.leg(legId.refund('901:b:0'))).toMatchObject({ state: 'blocked', covers: 99_500n });
    expect(await fill()).toMatchObject({ state: 'owed', fundingKey: FUNDING, covers: 100_000n });
  });

  it('pays for nothing a second time where its fill was signed, and goes on once it is the first amount again', async () => {
    await swapped();
    await scene.sees([brings(100_000n)]);
    await scene.pays(scene.destination);
    expect(await fill()).toMatchObject({ state: 'bound' });
    await reincluded(99_500n);
    await stays();
    await reincluded(100_000n);
    await follows(100_000n);
    expect(await status()).toBe('submitted');
    await filled();
    expect(scene.destination.prepared).toHaveLength(1);
    expect(await status()).toBe('success');
    await scene.idle();
  });

  it.each([[false], [true]])('pays for nothing a second time where it was filled (final: %s)', async (final) => {
    await swapped();
    await scene.sees([brings(100_000n)]);
    await scene.pays(scene.destination);
    scene.destination.lands(KEY, 501, { final });
    await scene.tracks(scene.destination);
    await reincluded(130_000n);
    await stays();
    expect(await refund()).toBeUndefined();
    expect(await excess()).toBeUndefined();
  });

  it('names what arrived to an operator once, as it is now, until they have seen to it', async () => {
    await swapped();
    await scene.sees([brings(100_000n)]);
    await scene.pays(scene.destination);
    await reincluded(130_000n);
    const [first] = await held();
    expect(first).toMatchObject({ fundingKey: FUNDING, amount: 130_000n, requestId: body.requestId });
    await reincluded(130_000n);
    await reincluded(120_000n);
    expect(await held()).toMatchObject([{ id: first?.id, amount: 120_000n }]);
    expect(await releaseHold(scene.context, first?.id ?? '')).toMatchObject({ ok: false, code: 'notSafe' });
    const unpaid = await releaseHold(scene.context, first?.id ?? '', undefined, true);
    expect(unpaid).toMatchObject({ ok: true, state: 'alreadyDone' });
    expect([await held(), [...scene.alerts].includes(ALERT)]).toEqual([[], false]);
    await reincluded(120_000n);
    expect(await held()).toEqual([]);
    await reincluded(125_000n);
    expect(await held()).toHaveLength(1);
    await reincluded(100_000n);
    await follows(100_000n);
  });

  it('is what it was where it was final: what is signed or refunded of it stands', async () => {
    await swapped({ forceRefund: true });
    await scene.sees([brings(100_000n)]);
    await scene.finalises(200);
    await reincluded(99_500n);
    await refunds();
    expect(scene.origin.prepared).toHaveLength(1);
    await reincluded(99_400n);
    scene.origin.lands(KEY, 201, { final: true });
    await scene.tracks(scene.origin);
    await reincluded(99_300n);
    await refunds();
    expect(scene.origin.prepared).toHaveLength(1);
    expect(await refund()).toMatchObject({ state: 'done', covers: 100_000n });
    await scene.idle();
  });

  it.each<[string, Partial<DepositObservation>]>([
    ['in another currency', { currency: 'junk' }],
    ['for another order', { orderId: `0x${'77'.repeat(32)}` }],
    ['for no order', { orderId: null }],
  ])('pays for nothing where it came back %s, of the same amount', async (_what, change) => {
    await swapped();
    await scene.sees([brings(100_000n)]);
    await reincluded(100_000n, change);
    await stays();
    height += 1;
    await scene.finalises(200, [brings(100_000n, { ...change, state: 'final' })]);
    await stays();
    expect(await fill()).toMatchObject({ state: 'suspended' });
  });

  it('keeps an operator’s hold', async () => {
    await swapped();
    await scene.sees([brings(100_000n)]);
    const leg = await fill();
    if (!leg) throw new Error('no fill');
    const set = { state: 'held', reason: 'unread' } as const;
    const changes = [{ op: 'update', table: 'legs', key: { id: leg.id }, version: leg.version, set }] as const;
    await scene.store.apply({ name: 'hold', changes });
    await reincluded(99_500n);
    expect(await fill()).toMatchObject({ state: 'held', covers: 100_000n });
    expect(await row()).toMatchObject({ state: 'vanished', amount: 100_000n });
    expect([...scene.alerts]).toContain(ALERT);
  });
});
