import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LiquiditySource, SwapWish } from '../../src/contract/index.js';
import type { LegCheck, LegInstruction, RefundLeg } from '../../src/contract/legs.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import type { SwapIn } from '../../src/domain/swap-in.js';
import { Scene } from './support/scene.js';

const KEY = 'filler:0';
const AGAIN = 'filler:1';
const GOV = 'gov';

/** Thousandths of a paid unit per deposited unit; null: no quote. */
let rate: bigint | null;
let scene: Scene;

const pools: LiquiditySource = {
  id: 'pools',
  supports: () => true,
  quote: ({ amount, input, output }: SwapWish) => {
    if (rate === null) return { ok: false, why: 'noRoute', message: 'no pools' };
    const quote = { amountIn: amount, amountOut: (amount * rate) / 1_000n, route: [input, output] };
    return { ok: true, quotes: [{ ...quote, work: 0n, height: 1, plan: null }] };
  },
  calls: ({ amount }, _quote, { payer, recipient, limit }) => [
    { to: 'pool', value: 0n, data: `0x${Buffer.from(`${payer}>${recipient}:${amount}:${limit}`).toString('hex')}` },
  ],
};

const SWAP: SwapIn = {
  side: { chainId: 901, currency: GOV, symbol: 'GOV', decimals: 6 },
  usd: '1',
  amount: '101000',
  least: '99000',
  most: '101000',
  source: 'pools',
  rules: {},
  work: '100',
};

beforeEach(async () => {
  rate = 990n;
  scene = await Scene.open({ giveUpShortMs: 5_000 });
  Object.assign(scene.context, { liquidity: () => [pools] });
  Object.assign(scene.origin, { token: GOV, workCost: (work: bigint) => work / 100n });
  const deposits = { depositor: 'entry', steps: () => [], refundAccount: () => 'account', refundWork: 170_000n };
  const payerSwaps = { steps: () => [], account: () => 'account', cost: () => undefined, deposits };
  scene.origin.capabilities = { ...scene.origin.capabilities, payerSwaps };
});
afterEach(() => scene.close());

const swapped = (change: Partial<SwapIn> = {}) => scene.quote(1, { forceRefund: true, swapIn: { ...SWAP, ...change } });
const refund = () => scene.leg(legId.refund('901:a:0'));
const sent = () => scene.origin.prepared.at(-1)?.legs[0] as RefundLeg;
const paid = { currency: GOV, amount: 101_000n };

async function owed(body: QuoteBody, change: object = { paid }): Promise<void> {
  await scene.sees([scene.deposit(body, 'a', change)]);
  await scene.finalises(200);
}

describe('a refund of what was swapped on its way in', () => {
  it('is exchanged for what was paid, with no less than is tolerated, and shown as that', async () => {
    const body = await swapped();
    await owed(body);
    await scene.pays(scene.origin);
    const { amount, covers, exchange } = sent();
    // A plain refund takes its gas; an exchange takes (100 + 170000) / 100 more.
    expect(covers).toBe(100_000n);
    expect(amount).toBeLessThan(100_000n - 1_701n + 1n);
    const expected = (amount * 990n) / 1_000n;
    expect(exchange?.output).toEqual({ currency: GOV, least: (expected * 99n) / 100n });
    const [call] = exchange?.calls ?? [];
    expect(Buffer.from(call?.data.slice(2) ?? '', 'hex').toString()).toBe(
      `account>refund-recipient:${amount}:${exchange?.output.least}`,
    );
    scene.origin.lands(KEY, 201, { final: true });
    const spent = scene.origin.evidence.get(KEY);
    if (spent?.state !== 'spent') throw new Error('nothing landed');
    const effects = spent.effects.map((one) => ({ ...one, brought: { currency: GOV, amount: expected } }));
    scene.origin.evidence.set(KEY, { ...spent, effects });
    await scene.tracks(scene.origin);
    const request = await scene.request(body);
    expect(request).toMatchObject({ status: 'refund', failReason: 'UNKNOWN', originCurrency: GOV });
    expect(JSON.parse(request.actual ?? '')).toMatchObject({ back: { currency: GOV, amount: expected.toString() } });
    await scene.idle();
  });

  it.each<[string, () => void]>([
    [
      'no pools lead back',
      () => {
        rate = null;
      },
    ],
    [
      'the pools take more than the operator allows',
      () => {
        rate = 500n;
      },
    ],
    [
      'what was paid is not listed any more',
      () => {
        Object.assign(scene.origin, { token: null });
      },
    ],
    [
      'its gas would take too much of it',
      () => {
        Object.assign(scene.origin, { workCost: (work: bigint) => work });
      },
    ],
    [
      'the chain refuses the exchange',
      () => {
        scene.origin.checkAnswer = refusesExchanges;
      },
    ],
  ])('goes back as it was deposited where %s', async (_why, happens) => {
    const body = await swapped();
    await owed(body);
    happens();
    for (let round = 0; round < 3; round += 1) await scene.pays(scene.origin);
    expect(scene.origin.prepared).toHaveLength(1);
    expect(sent().exchange).toBeUndefined();
    scene.origin.lands(KEY, 201, { final: true });
    await scene.tracks(scene.origin);
    const request = await scene.request(body);
    expect(request).toMatchObject({ status: 'refund', failReason: 'REVERSE_SWAP_FAILED' });
    expect(request.details).toContain('refunded because of UNKNOWN');
    const listed = scene.origin.currency(GOV) !== undefined;
    expect(request.refundFailReason).toBe(listed ? null : 'SWAP_CURRENCY_NOT_ON_ORIGIN');
    expect(JSON.parse(request.actual ?? '')).not.toHaveProperty('back');
    await scene.idle();
  });

  it('is shown as what was paid, too, where a send made it that this ledger does not know', async () => {
    const body = await swapped();
    await owed(body);
    scene.origin.paid.set(legId.refund('901:a:0'), {
      ...{ hash: '0xlost', block: { height: 201, id: 'b-201', timestamp: scene.now }, final: true, sender: 'filler' },
      ...{ currency: scene.origin.coin, recipient: 'account', moved: 98_000n },
      brought: { currency: GOV, amount: 97_000n },
    });
    const spent = { kind: 'refused', reason: 'ORDER_ALREADY_FILLED', message: 'key used' } as const;
    scene.origin.checkAnswer = () => ({ ok: false, ...spent });
    for (let round = 0; round < 3; round += 1) await scene.pays(scene.origin);
    expect((await refund())?.state).toBe('done');
    const request = await scene.request(body);
    expect(request).toMatchObject({ status: 'refund', failReason: 'UNKNOWN' });
    expect(JSON.parse(request.actual ?? '')).toMatchObject({ back: { currency: GOV, amount: '97000' } });
  });

  it('is tried on the chain once: what failed there goes back as it was deposited', async () => {
    const body = await swapped();
    await owed(body);
    await scene.pays(scene.origin);
    expect(sent().exchange).toBeDefined();
    scene.origin.lands(KEY, 201, { final: true, ok: false });
    await scene.tracks(scene.origin);
    scene.now += 60_000;
    for (let round = 0; round < 3; round += 1) await scene.pays(scene.origin);
    expect(scene.origin.prepared).toHaveLength(2);
    expect(sent().exchange).toBeUndefined();
    scene.origin.lands(AGAIN, 202, { final: true });
    await scene.tracks(scene.origin);
    expect((await refund())?.state).toBe('done');
    expect((await scene.request(body)).status).toBe('refund');
  });

  it('is not exchanged where its payer deposited it as it is, or paid with something else', async () => {
    for (const [n, change] of [{}, { paid: { currency: 'another', amount: 1n } }].entries()) {
      const body = await scene.quote(n + 2, { forceRefund: true, swapIn: SWAP });
      await scene.sees([scene.deposit(body, `d${n}`, change)]);
    }
    await scene.finalises(200);
    await scene.pays(scene.origin);
    const legs = scene.origin.prepared.flatMap((one) => one.legs) as RefundLeg[];
    expect(legs).toHaveLength(2);
    for (const leg of legs) expect(leg.exchange).toBeUndefined();
  });
});

describe('a deposit that a reorg makes again', () => {
  it('is refunded as what arrived, exchanged for what was paid with as little as that brings', async () => {
    const body = await swapped();
    await scene.sees([scene.deposit(body, 'a', { paid })]);
    const block = { height: 105, id: 'b-105', timestamp: scene.now };
    await scene.sees([scene.deposit(body, 'a', { paid, amount: 99_500n, block })]);
    expect(await scene.depositRow({ fundingKey: '901:a:0' })).toMatchObject({ state: 'included', amount: 99_500n });
    await scene.finalises(200, [scene.deposit(body, 'a', { paid, amount: 99_500n, state: 'final', block })]);
    for (let round = 0; round < 2; round += 1) await scene.pays(scene.origin);
    expect(scene.origin.prepared).toHaveLength(1);
    const { amount, covers, exchange } = sent();
    expect(covers).toBe(99_500n);
    expect(amount).toBeLessThan(99_500n);
    expect(exchange?.output.least).toBe((((amount * 990n) / 1_000n) * 99n) / 100n);
    expect([...scene.alerts]).not.toContain('deposit-changed:901:a:0');
  });
});

function refusesExchanges(leg: LegInstruction): LegCheck {
  if (leg.kind !== 'refund' || leg.exchange === undefined) return { ok: true, plan: '{}' };
  return { ok: false, kind: 'refused', reason: 'TOO_LITTLE_RECEIVED', message: 'brought short' };
}
