import { describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { topUpId } from '../../src/domain/top-up.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { DESTINATION } from './support/quotes.js';
import { SIGNER } from './support/scripted-chain.js';
import {
  body,
  excess,
  fill,
  inFill,
  openScenes,
  paidIn,
  raiseCoinPrice,
  reserved,
  scene,
  status,
  topUp,
  wait,
} from './support/top-ups.js';

openScenes();

const KEY = `${SIGNER}:0`;
const refund = () => scene.leg(legId.refund('901:deposit:0'));

async function signed(): Promise<void> {
  await paidIn(inFill());
  wait(1_000);
  await scene.pays(scene.destination);
}

/** Funded, with calls that spend coin; less output would suffice. */
async function promised(spent: bigint, isFirm: boolean): Promise<void> {
  const { topUp: coin, ...rest } = inFill();
  if (coin === undefined) throw new Error('no coin');
  const features: QuoteBody['features'] = isFirm ? ['gas_top_up', 'fixed_rate'] : ['gas_top_up'];
  await paidIn({ ...rest, features, minimumAmount: '80000', topUp: { ...coin, minimumAmount: `${spent}` } });
}

describe('coin for the calls of an order', () => {
  it('is taken along by the fill, under the key of both', async () => {
    await signed();
    expect(scene.destination.prepared.map(({ legs }) => legs)).toMatchObject([
      [{ legId: `fill:${body.orderId}`, calls: ['0xca11'], topUp: { orderId: topUpId(body.orderId), amount: 5_000n } }],
    ]);
    expect(await fill()).toMatchObject({ state: 'bound', key: KEY });
    expect(await topUp()).toMatchObject({ state: 'bound', key: KEY, deadlineAt: body.deadlineAt });
    const [open] = await scene.store.openKeys(DESTINATION, SIGNER, 10);
    expect(open?.attempts.map(({ legIds }) => legIds.length)).toEqual([2]);
  });

  it('is taken along with the authorizations that its calls need', async () => {
    await paidIn({ ...inFill(), authorizations: ['0xa0', '0xa1'] });
    wait(1_000);
    await scene.pays(scene.destination);
    expect(scene.destination.prepared.map(({ legs }) => legs)).toMatchObject([
      [{ calls: ['0xca11'], topUp: { amount: 5_000n }, authorizations: ['0xa0', '0xa1'] }],
    ]);
    await scene.head(501);
    await scene.head(505);
    await scene.tracks(scene.destination);
    expect(scene.destination.prepared[1]?.legs).toEqual(scene.destination.prepared[0]?.legs);
  });

  it('makes the request a success with the fill, in one transaction', async () => {
    await signed();
    scene.destination.lands(KEY, 501, { final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success');
    expect([(await fill())?.state, (await topUp())?.state]).toEqual(['done', 'done']);
    const [view] = await scene.store.views([body.requestId]);
    expect(view?.transactions.filter(({ role }) => role === 'fill')).toHaveLength(1);
    expect(JSON.parse((await scene.request(body)).actual ?? '{}')).toMatchObject({ amountOut: '93900', topUp: '5000' });
    expect(await reserved()).toBe(0n);
    await scene.finalises(101);
    await scene.idle();
    expect(await scene.depositRow({ fundingKey: '901:deposit:0' })).toMatchObject({ collectable: 100_000n });
  });

  it('goes back with the fill where that fails, as one whole deposit, and is tried no more', async () => {
    await signed();
    scene.destination.lands(KEY, 501, { final: true, ok: false });
    await scene.tracks(scene.destination);
    expect([(await fill())?.state, (await topUp())?.state]).toEqual(['closed', 'void']);
    expect(await refund()).toMatchObject({ covers: 100_000n });
    expect(await excess()).toBeUndefined();
    expect(await reserved()).toBe(0n);
    expect((await topUp())?.spent).toBe(0n);
    wait(60_000);
    await scene.pays(scene.destination);
    expect(scene.destination.prepared).toHaveLength(1);
  });

  it('is never carried alone: once its order is late, its key is closed', async () => {
    await signed();
    // The window would close it as well.
    scene.destination.facts = { ...scene.destination.facts, inclusionWindowMs: 10_000_000 };
    wait(body.deadlineAt - scene.now + 1_000);
    await scene.head(900);
    await scene.tracks(scene.destination);
    expect(scene.destination.prepared.slice(1).map(({ legs }) => legs)).toEqual([[]]);
    const [open] = await scene.store.openKeys(DESTINATION, SIGNER, 10);
    expect(open?.key.closing).toBe(true);
  });

  it('is taken along by every replacement, at the same amount', async () => {
    await signed();
    await scene.head(501);
    await scene.head(505);
    await scene.tracks(scene.destination);
    const reported = { orderId: topUpId(body.orderId), amount: 5_000n };
    expect(scene.destination.prepared.map(({ legs }) => legs)).toMatchObject([
      [{ topUp: reported }],
      [{ topUp: reported }],
    ]);
    const [open] = await scene.store.openKeys(DESTINATION, SIGNER, 10);
    expect(open?.attempts.map(({ legIds }) => legIds.length)).toEqual([2, 2]);
  });

  it('goes back with the fill where their key is lost permanently', async () => {
    await signed();
    scene.destination.evidence.set(KEY, { state: 'spentByOther', final: true });
    await scene.tracks(scene.destination);
    expect([(await fill())?.state, (await topUp())?.state]).toEqual(['closed', 'void']);
    expect(await refund()).toMatchObject({ covers: 100_000n });
    expect(await excess()).toBeUndefined();
    expect(await reserved()).toBe(0n);
  });

  it('comes and goes with the fill while its block is not final', async () => {
    await signed();
    scene.destination.lands(KEY, 501);
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success');
    expect(await reserved()).toBe(0n);
    scene.destination.evidence.set(KEY, { state: 'unspent', inPool: true });
    await scene.tracks(scene.destination);
    expect(await reserved()).toBe(98_900n);
    scene.destination.lands(KEY, 502, { final: true });
    await scene.tracks(scene.destination);
    expect([(await fill())?.state, (await topUp())?.state]).toEqual(['done', 'done']);
    expect(await reserved()).toBe(0n);
    expect(scene.destination.prepared).toHaveLength(1);
  });

  const ALREADY = { ok: false, kind: 'refused', reason: 'ORDER_ALREADY_FILLED', message: 'filled' } as const;
  const elsewhere = (leg: string, currency: string, moved: bigint) =>
    scene.destination.paid.set(leg, {
      ...{ hash: '0xlost', block: { height: 540, id: 'b540', timestamp: scene.now }, final: true },
      ...{ sender: SIGNER, currency, recipient: 'recipient', moved },
    });

  it('is found paid where something else of the service made the fill, and never paid after it', async () => {
    await paidIn(inFill());
    scene.destination.checkAnswer = () => ALREADY;
    elsewhere(`fill:${body.orderId}`, scene.destination.coin, 93_900n);
    elsewhere(legId.topUp(body.orderId), scene.destination.coin, 5_000n);
    await scene.pays(scene.destination);
    expect((await fill())?.state).toBe('done');
    expect(await status()).toBe('submitted');
    for (let round = 0; round < 4; round += 1) {
      wait(10_000);
      await scene.pays(scene.destination);
    }
    expect((await topUp())?.state).toBe('done');
    expect(await status()).toBe('success');
    expect(scene.destination.prepared).toEqual([]);
    expect(await reserved()).toBe(0n);
  });

  it('is held where the fill is found made, and nothing shows that it was paid', async () => {
    await paidIn(inFill());
    scene.destination.checkAnswer = () => ALREADY;
    elsewhere(`fill:${body.orderId}`, scene.destination.coin, 93_900n);
    await scene.pays(scene.destination);
    scene.destination.checkAnswer = () => ({ ok: true, plan: '{}' });
    for (let round = 0; round < 4; round += 1) {
      wait(10_000);
      await scene.pays(scene.destination);
    }
    expect((await topUp())?.state).toBe('held');
    expect(scene.destination.prepared).toEqual([]);
    expect(await refund()).toBeUndefined();
    expect(await excess()).toBeUndefined();
    const [hold] = await scene.store.holds('open');
    // It expires with its fill.
    wait(body.deadlineAt - scene.now + 1_000);
    expect(await releaseHold(scene.context, hold?.id ?? '', 'somebody')).toMatchObject({ ok: true, state: 'owed' });
    expect(await excess()).toMatchObject({ recipient: 'somebody', covers: 5_100n, releasedBy: 'operator' });
    expect((await topUp())?.state).toBe('void');
    await scene.finalises(101);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.map(({ legs }) => legs)).toMatchObject([[{ kind: 'excess', recipient: 'somebody' }]]);
    expect(scene.destination.prepared).toEqual([]);
  });

  it('holds the whole deposit where its id was filled without the fill', async () => {
    await paidIn(inFill());
    // The router refuses both for either id.
    scene.destination.checkAnswer = () => ALREADY;
    elsewhere(legId.topUp(body.orderId), scene.destination.coin, 5_000n);
    await scene.pays(scene.destination);
    expect([(await fill())?.state, (await topUp())?.state]).toEqual(['held', 'void']);
    expect(await refund()).toBeUndefined();
    expect(scene.destination.prepared).toEqual([]);
    const holds = await scene.store.holds('open');
    expect(holds.map(({ amount }) => amount)).toEqual([100_000n]);
  });

  it.each([false, true])('voids its fill where its price left too little, with a fixed rate: %s', async (isFirm) => {
    await promised(5_000n, isFirm);
    raiseCoinPrice('1.03');
    await scene.pays(scene.destination);
    expect(await fill()).toMatchObject({ state: 'void', reason: 'SLIPPAGE' });
    expect(await refund()).toMatchObject({ covers: 100_000n });
    expect(await reserved()).toBe(0n);
    expect(scene.destination.prepared).toEqual([]);
  });

  it('is what its price makes it in addition to an output whose rate is fixed', async () => {
    await promised(4_800n, true);
    raiseCoinPrice('1.03');
    for (const _ of [1, 2]) await scene.pays(scene.destination);
    expect(scene.destination.prepared.map(({ legs }) => legs)).toMatchObject([
      [{ amount: 93_900n, topUp: { amount: 4_951n } }],
    ]);
    expect(await reserved()).toBe(93_900n + 4_951n);
  });
});
