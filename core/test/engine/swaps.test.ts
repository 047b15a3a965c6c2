import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LiquiditySource, SwapWish } from '../../src/contract/index.js';
import type { FillLeg, LegCheck } from '../../src/contract/legs.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import type { SwapOut } from '../../src/domain/swap-out.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { Scene } from './support/scene.js';

const KEY = 'filler:0';
const RESERVED = '#reserved:902:filler:coin-902';
const INVENTORY = 'inventory:902:filler:coin-902';

/** Thousandths of output per solver unit; null: no quote. */
let rate: bigint | null;
let scene: Scene;
let answers: 'ok' | 'noRoute' | 'tooMuch';

const pools: LiquiditySource = {
  id: 'pools',
  supports: () => true,
  quote: ({ kind, amount, input, output }: SwapWish) => {
    if (rate === null) return { ok: false, why: 'unavailable', message: 'not known now' };
    if (answers !== 'ok') return { ok: false, why: answers, message: 'no' };
    const [amountIn, amountOut] =
      kind === 'exactInput' ? [amount, (amount * rate) / 1_000n] : [(amount * 1_000n + rate - 1n) / rate, amount];
    return { ok: true, quotes: [{ amountIn, amountOut, route: [input, output], work: 0n, height: 1, plan: null }] };
  },
  calls: ({ amount }, _quote, { payer, recipient, limit }) => [
    { to: 'pool', value: 0n, data: `0x${Buffer.from(`${payer}>${recipient}:${amount}:${limit}`).toString('hex')}` },
  ],
};

const unbuilt: LiquiditySource = {
  ...pools,
  id: 'unbuilt',
  build: async () => ({ ok: false, why: 'unavailable', message: 'not now' }),
};

/** Takes a quarter of the input. */
const expensive: LiquiditySource = {
  ...pools,
  id: 'expensive',
  quote: ({ amount, input, output }: SwapWish) => ({
    ok: true,
    quotes: [
      { amountIn: amount, amountOut: (amount * 3n) / 2n, route: [input, output], work: 0n, height: 1, plan: null },
    ],
  }),
};

const SWAP: SwapOut = {
  side: { chainId: 902, currency: 'other', symbol: 'OTHER', decimals: 6 },
  usd: '0.5',
  expected: '198000',
  least: '196000',
  source: 'pools',
  rules: {},
};

beforeEach(async () => {
  rate = 2_000n;
  answers = 'ok';
  scene = await Scene.open({ giveUpShortMs: 5_000 });
  Object.assign(scene.context, { liquidity: () => [pools] });
  scene.destination.capabilities = {
    ...scene.destination.capabilities,
    destinationCalls: { encode: ({ data }) => data, account: (orderId) => `account-of-${orderId.slice(-2)}` },
  };
});

afterEach(async () => {
  await scene.close();
});

const swapped = (swapOut: Partial<SwapOut> = {}, more: Partial<QuoteBody> = {}) =>
  scene.quote(1, { swapOut: { ...SWAP, ...swapOut }, ...more });
const fill = async (body: QuoteBody) => scene.leg(legId.fill(body.orderId));
const refund = async () => scene.leg(legId.refund('901:a:0'));
const sent = () => scene.destination.prepared.at(-1)?.legs[0] as FillLeg;
const text = ([call]: readonly string[] = []) => Buffer.from(call?.slice(2) ?? '', 'hex').toString();
const no = (reason: Extract<LegCheck, { ok: false }>['reason']) => (): LegCheck => ({
  ok: false,
  kind: 'refused',
  reason,
  message: 'no',
});

describe('a fill that swaps the inventory currency', () => {
  it('uses current pool prices, measures the output at the recipient, and records the measured output', async () => {
    const body = await swapped();
    rate = 1_990n;
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    expect(sent()).toMatchObject({ amount: 99_000n, wanted: { currency: 'other', least: 196_000n } });
    expect(text(sent().calls)).toBe(`account-of-${body.orderId.slice(-2)}>recipient:99000:196000`);
    scene.destination.lands(KEY, 501);
    const spent = scene.destination.evidence.get(KEY);
    if (spent?.state !== 'spent') throw new Error('nothing landed');
    const effects = spent.effects.map((one) => ({ ...one, brought: { currency: 'other', amount: 197_010n } }));
    scene.destination.evidence.set(KEY, { ...spent, effects });
    await scene.tracks(scene.destination);
    const request = await scene.request(body);
    expect(request).toMatchObject({ status: 'success', destinationCurrency: 'other', destinationSymbol: 'OTHER' });
    expect(JSON.parse(request.actual ?? '')).toMatchObject({ amountOut: '197010', given: '99000' });
    expect(await scene.pot(INVENTORY)).toBe(1_000_000n - 99_000n - 7n);
  });

  it('sends the swap output to the account that executes the calls of the order', async () => {
    const { order } = await scene.quote(9);
    const body = await swapped({}, { order: { ...order, output: { ...order.output, calls: ['0x77'] } } });
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    const account = `account-of-${body.orderId.slice(-2)}`;
    expect(text(sent().calls)).toBe(`${account}>${account}:99000:196000`);
    expect(sent().calls?.at(-1)).toBe('0x77');
    expect(sent().wanted).toBeUndefined();
  });

  it('spends only what the exact output needs, and releases the rest of the reservation', async () => {
    const body = await swapped({ exact: true });
    rate = 2_100n;
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await scene.pot(RESERVED)).toBe(99_000n);
    await scene.settles(scene.destination);
    // 196000 take 93334; half of the 1 % slippage is added.
    expect(sent().amount).toBe(93_801n);
    expect(await scene.pot(RESERVED)).toBe(93_801n);
    rate = 2_500n;
    scene.destination.evidence.set(KEY, { state: 'unspent', inPool: false });
    await scene.head(504);
    await scene.tracks(scene.destination);
    expect(scene.destination.prepared).toHaveLength(2);
    expect(sent().amount).toBe(93_801n);
    scene.destination.lands(KEY, 505, { final: true });
    await scene.tracks(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'done', amount: 93_801n });
    expect(await scene.pot(RESERVED)).toBe(0n);
  });

  it('of a late deposit applies the minimum output for late deposits', async () => {
    const body = await swapped({ lateLeast: '150000' }, { lateMinimumAmount: '80000' });
    rate = 1_700n;
    const blockTime = body.expiresAt + 1_000;
    await scene.sees([scene.deposit(body, 'a', { block: { height: 101, id: 'a-101', timestamp: blockTime } })]);
    await scene.settles(scene.destination);
    expect(sent().wanted).toEqual({ currency: 'other', least: 150_000n });
  });
});

describe('a fill made by transactions that the restored ledger does not contain', () => {
  it.each([
    ['success', { currency: 'other', amount: 197_010n }, { amountOut: '197010', given: '99000' }],
    ['fallback', undefined, { amountOut: '99000' }],
  ])('becomes %s as its chain reports', async (status, brought, actual) => {
    const body = await swapped({ fallback: true });
    await scene.sees([scene.deposit(body, 'a')]);
    scene.now += 1_000;
    await markRestored(scene.store, scene.now);
    scene.destination.paid.set(legId.fill(body.orderId), {
      ...{ hash: '0xlost', block: { height: 540, id: 'b540', timestamp: scene.now }, final: true, sender: 'filler' },
      ...{ currency: scene.destination.coin, recipient: 'recipient', moved: 99_000n },
      ...(brought === undefined ? {} : { brought }),
    });
    scene.destination.checkAnswer = no('ORDER_ALREADY_FILLED');
    await scene.settles(scene.destination);
    await scene.settles(scene.destination);
    const request = await scene.request(body);
    expect(request.status).toBe(status);
    expect(JSON.parse(request.actual ?? '')).toMatchObject(actual);
  });
});

describe('a swap that cannot be made', () => {
  it.each([
    ['SLIPPAGE', () => (rate = 1_900n)],
    ['NO_INTERNAL_SWAP_ROUTES_FOUND', () => (answers = 'noRoute')],
    ['INSUFFICIENT_POOL_LIQUIDITY', () => (answers = 'tooMuch')],
    ['TOO_LITTLE_RECEIVED', () => (scene.destination.checkAnswer = no('TOO_LITTLE_RECEIVED'))],
    ['SWAP_USES_TOO_MUCH_GAS', () => (scene.destination.checkAnswer = no('QUOTED_GAS_LIMIT_EXCEEDED'))],
  ])('is refunded as %s', async (reason, happens) => {
    const body = await swapped();
    happens();
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'void', reason });
    expect(await refund()).toMatchObject({ covers: 100_000n });
    expect((await scene.request(body)).failReason).toBe(reason);
    expect(scene.destination.prepared).toEqual([]);
    await scene.finalises(101);
    expect(await scene.pot(RESERVED)).toBe(0n);
  });

  it('is refunded as SWAP_IMPACT_TOO_HIGH if the price impact is too high, unless the client accepts any impact', async () => {
    scene.destination.token = 'other';
    Object.assign(scene.context, {
      prices: { price: ({ group }: { group: string }) => ({ ok: true, usd: group === 'token' ? '0.5' : '1', at: 0 }) },
    });
    const body = await swapped({ least: '100000' });
    rate = 1_700n;
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'void', reason: 'SWAP_IMPACT_TOO_HIGH' });
    const any = await scene.quote(2, { swapOut: { ...SWAP, least: '100000', anyImpact: true } });
    await scene.sees([scene.deposit(any, 'b')]);
    await scene.settles(scene.destination);
    expect(sent()).toMatchObject({ amount: 99_000n });
  });

  it('checks the price impact at every source that is tried', async () => {
    scene.destination.token = 'other';
    Object.assign(scene.context, {
      prices: { price: ({ group }: { group: string }) => ({ ok: true, usd: group === 'token' ? '0.5' : '1', at: 0 }) },
      liquidity: () => [unbuilt, expensive],
    });
    const body = await swapped({ least: '100000' });
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    // The best quote fails to build; the other exceeds the limit.
    expect(scene.destination.prepared).toEqual([]);
    expect(await fill(body)).toMatchObject({ state: 'owed' });
  });

  it('is retried while no quote is available, and finally refunded as GENERATE_SWAP_FAILED', async () => {
    const body = await swapped();
    rate = null;
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'owed' });
    scene.now += 6_000;
    await scene.head(502);
    await scene.settles(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'void', reason: 'GENERATE_SWAP_FAILED' });
  });

  it('leads to no refund of an order that its chain calls filled', async () => {
    const body = await swapped();
    rate = 1_000n;
    scene.destination.checkAnswer = no('ORDER_ALREADY_FILLED');
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'held' });
    expect(await refund()).toBeUndefined();
  });

  it('falls back to the inventory currency if the client allows it', async () => {
    const body = await swapped({ fallback: true });
    rate = 1_000n;
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'owed', reason: 'fallback' });
    await scene.settles(scene.destination);
    expect(sent()).toMatchObject({ amount: 99_000n });
    expect(sent().wanted).toBeUndefined();
    scene.destination.lands(KEY, 501);
    await scene.tracks(scene.destination);
    const request = await scene.request(body);
    expect(request.status).toBe('fallback');
    expect(JSON.parse(request.actual ?? '')).toMatchObject({ amountOut: '99000' });
    // A reorg drops and reincludes its deposit unchanged.
    await scene.sees([], { rewoundTo: 100 });
    expect((await scene.request(body)).status).toBe('failure');
    await scene.sees([scene.deposit(body, 'a')]);
    expect((await scene.request(body)).status).toBe('fallback');
  });
});

describe('a source whose calls come from a third party', () => {
  /** Claims 10 % more than the pools. */
  const other = (id: string, more: Partial<LiquiditySource> = {}): LiquiditySource => ({
    ...pools,
    ...{ id, isMeasured: true as const },
    quote: ({ amount, input, output }) => {
      const amountOut = (amount * 2_200n) / 1_000n;
      return {
        ok: true,
        quotes: [{ amountIn: amount, amountOut, route: [input, output], work: 0n, height: 1, plan: null }],
      };
    },
    calls: () => [{ to: id, value: 0n, data: `0x${Buffer.from(id).toString('hex')}` }],
    ...more,
  });
  const among = (...sources: readonly LiquiditySource[]) => Object.assign(scene.context, { liquidity: () => sources });
  /** Trials in order. */
  let tried: string[];
  const refusing = (...ids: readonly string[]) => {
    scene.destination.checkAnswer = (leg) => {
      const by = text((leg as FillLeg).calls).split(/[->]/)[0] ?? '';
      tried.push(by);
      return ids.includes(by) ? no('TOO_LITTLE_RECEIVED')() : { ok: true, plan: '{}' };
    };
  };

  beforeEach(() => {
    tried = [];
  });

  it('fills the order if the calls deliver the quoted output', async () => {
    among(other('liar'), pools);
    refusing();
    const body = await swapped();
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    expect(text(sent().calls)).toBe('liar');
  });

  it('lets the next source fill the order if the calls deliver too little', async () => {
    among(other('liar'), other('thief'), pools);
    refusing('liar', 'thief');
    const body = await swapped();
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    expect(text(sent().calls)).toMatch(/>recipient:99000:196000$/);
    expect(sent().wanted).toEqual({ currency: 'other', least: 196_000n });
    expect(tried).toEqual(['liar', 'thief', 'account', 'account']);
  });

  it('leads to a refund with the reason of the chain if no other source can fill', async () => {
    rate = 1_000n;
    among(other('liar'), other('thief'), pools);
    refusing('liar', 'thief');
    const body = await swapped();
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'void', reason: 'TOO_LITTLE_RECEIVED' });
    expect(scene.destination.prepared).toEqual([]);
  });

  it('does not hide the price impact of the other sources', async () => {
    scene.destination.token = 'other';
    Object.assign(scene.context, {
      prices: { price: ({ group }: { group: string }) => ({ ok: true, usd: group === 'token' ? '0.5' : '1', at: 0 }) },
    });
    rate = 1_700n;
    among(other('liar'), pools);
    refusing('liar');
    const body = await swapped({ least: '100000' });
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'void' });
    expect(scene.destination.prepared).toEqual([]);
  });

  it('leads to no refund of an order that its chain calls filled', async () => {
    among(other('liar'), pools);
    scene.destination.checkAnswer = no('ORDER_ALREADY_FILLED');
    const body = await swapped();
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'held' });
    expect(await refund()).toBeUndefined();
  });
});
