import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOT_MS } from '../../src/capabilities/deposit-addresses/hot.js';
import { OpenOrders } from '../../src/capabilities/deposit-addresses/open-orders.js';
import { recoverAddress } from '../../src/capabilities/deposit-addresses/recover.js';
import type { Requote } from '../../src/capabilities/deposit-addresses/requote.js';
import { depositoryHolds } from '../../src/capabilities/deposit-addresses/swept.js';
import { orderOfTransfer } from '../../src/capabilities/deposit-addresses/transfer.js';
import { requestOfAddress } from '../../src/capabilities/deposit-addresses/unwritten.js';
import type { Change } from '../../src/contract/store.js';
import { account, legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { refundRequest } from '../../src/engine/operator/refund-request.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { apiError } from '../../src/errors/api-error.js';
import { depositRow } from '../../src/testing/store-fixtures.js';
import { Addresses, SWEEPER } from './support/addresses.js';
import { NOW, ORIGIN, quoteBody } from './support/quotes.js';
import { Scene } from './support/scene.js';

let scene: Scene;
let addresses: Addresses;

beforeEach(async () => {
  scene = await Scene.open();
  addresses = await Addresses.on(scene);
});

afterEach(async () => {
  await scene.close();
});

const promised: Addresses['promised'] = (...asked) => addresses.promised(...asked);
const transfer: Addresses['transfer'] = (...asked) => addresses.transfer(...asked);
const sweepOf: Addresses['sweepOf'] = (...asked) => addresses.sweepOf(...asked);
const swept: Addresses['swept'] = (height) => addresses.swept(height);

describe('a strict deposit address', () => {
  it('is a waiting request from its quote on', async () => {
    const body = await promised(1, 'strict');
    expect(await requestOfAddress(scene.store, body.requestId)).toMatchObject({
      status: 'waiting',
      depositAddress: `address-${body.requestId}`,
      fundingKey: null,
    });
    const [row] = await scene.store.addressesOf([body.requestId]);
    expect(row).toMatchObject({ chainId: ORIGIN, type: 'strict', hotUntil: (row?.createdAt ?? 0) + HOT_MS });
    expect(await scene.store.unsettled(10)).toEqual([]);
  });

  it('is swept with the sum of what else is recorded there, so that all other coin is known as dust', async () => {
    const body = await promised(1, 'strict');
    const block = { height: 105, id: 'a-105', timestamp: NOW };
    await scene.sees([transfer(body, 'first'), transfer(body, 'second', { amount: 30_000n, block })]);
    await scene.finalises(101);
    await swept(107);
    await scene.finalises(105);
    await swept(110);
    const legs = scene.origin.prepared.flatMap((one) => one.legs);
    expect(legs).toMatchObject([
      { kind: 'sweep', amount: 100_000n, others: 30_000n },
      { kind: 'sweep', amount: 30_000n, others: 0n },
    ]);
  });

  it('fills the exact amount without waiting for the sweep, and collects after it', async () => {
    const body = await promised(1, 'strict');
    const seen = transfer(body, 'exact');
    await scene.sees([seen]);
    expect(await scene.request(body)).toMatchObject({
      status: 'pending',
      fundingKey: seen.fundingKey,
      depositor: 'depositor',
    });
    expect(await sweepOf(body, seen)).toMatchObject({ state: 'blocked', amount: 100_000n, signer: SWEEPER });
    await scene.pays(scene.destination);
    const [fill] = scene.destination.prepared;
    expect(fill?.legs).toMatchObject([{ kind: 'fill', amount: 99_000n }]);
    scene.destination.lands(fill?.key ?? '', 501, { final: true });
    await scene.tracks(scene.destination);
    expect(await scene.request(body)).toMatchObject({ status: 'success' });
    await scene.finalises(101);
    expect(await scene.depositRow(seen)).toMatchObject({ collectable: null, sweptAt: null });
    expect(await sweepOf(body, seen)).toMatchObject({ state: 'owed' });
    await swept(103);
    expect(scene.origin.prepared.at(-1)?.legs).toMatchObject([
      {
        kind: 'sweep',
        fundingKey: seen.fundingKey,
        useKey: scene.origin.useKey(seen.fundingKey, 'sweep'),
        from: { address: `address-${body.requestId}`, salt: body.requestId },
      },
    ]);
    expect(await scene.depositRow(seen)).toMatchObject({ collectable: 100_000n, sweptAt: NOW });
    expect(await scene.pot(account.depository(ORIGIN, scene.origin.coin))).toBe(100_000n);
    await scene.idle();
  });

  it('refunds the excess in a leg of its own, only after the sweep', async () => {
    const body = await promised(1, 'strict');
    const seen = transfer(body, 'more', { amount: 150_000n });
    await scene.sees([seen]);
    await scene.finalises(101);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    await swept(103);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.at(-1)?.legs).toMatchObject([
      // The gas of the sweep and of the payment.
      { kind: 'excess', recipient: 'refund-recipient', amount: 50_000n - 20n },
    ]);
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ amount: 99_000n, covers: 100_000n });
  });

  it.each([
    ['too little', { amount: 99_999n }, 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL'],
    ['another currency', { currency: 'other' }, 'INCORRECT_DEPOSIT_CURRENCY'],
  ] as const)('refunds %s to its refund address', async (_what, overrides, failReason) => {
    scene.origin.token = 'other';
    const body = await promised(1, 'strict');
    const seen = transfer(body, 'wrong', overrides);
    await scene.sees([seen]);
    expect(await scene.request(body)).toMatchObject({ status: 'pending', failReason });
    await scene.finalises(101);
    await swept(103);
    await scene.pays(scene.origin);
    const refund = scene.origin.prepared.at(-1);
    expect(refund?.legs).toMatchObject([{ kind: 'refund', recipient: 'refund-recipient', amount: seen.amount - 20n }]);
    scene.origin.lands(refund?.key ?? '', 105, { final: true });
    await scene.tracks(scene.origin);
    expect(await scene.request(body)).toMatchObject({ status: 'refund' });
    expect(scene.destination.prepared).toEqual([]);
  });

  it('leaves the order to its payer where a third party sends little first', async () => {
    const body = await promised(1, 'strict');
    const [dust, real] = [transfer(body, 'dust', { amount: 9_999n }), transfer(body, 'real')];
    await scene.sees([dust, real]);
    expect(await scene.request(body)).toMatchObject({
      status: 'pending',
      fundingKey: real.fundingKey,
      failReason: null,
    });
    expect(await scene.requestOf(dust)).toMatchObject({ parentRequestId: body.requestId });
    expect(await scene.leg(legId.refund(dust.fundingKey))).toMatchObject({ recipient: 'refund-recipient' });
  });

  it('refunds a second transfer as a duplicate with a request and a sweep of its own', async () => {
    const body = await promised(1, 'strict');
    const first = transfer(body, 'first');
    const second = transfer(body, 'second');
    await scene.sees([first]);
    await scene.sees([second]);
    const child = await scene.requestOf(second);
    expect(child).toMatchObject({ parentRequestId: body.requestId, failReason: 'DOUBLE_SPEND' });
    expect(child.depositAddress).toBe(body.depositAddress?.address);
    const sweeps = await Promise.all([first, second].map((seen) => sweepOf(body, seen)));
    expect(sweeps.map((leg) => leg?.fundingKey)).toEqual([first.fundingKey, second.fundingKey]);
    expect((await scene.store.legs([legId.fill(body.orderId)])).length).toBe(1);
  });

  it('suspends an unsent sweep with a reorged transfer, and owes it once when the transfer is back', async () => {
    const body = await promised(1, 'strict');
    const seen = transfer(body, 'gone');
    await scene.sees([seen]);
    await scene.sees([], { rewoundTo: 100 });
    expect(await sweepOf(body, seen)).toMatchObject({ state: 'suspended' });
    expect(await scene.request(body)).toMatchObject({ status: 'failure', failReason: 'DEPOSIT_REORGED' });
    await scene.sees([transfer(body, 'gone', { block: { height: 104, id: 'b-104', timestamp: NOW } })]);
    expect(await sweepOf(body, seen)).toMatchObject({ state: 'blocked' });
    await scene.finalises(104);
    await swept(106);
    expect(await sweepOf(body, seen)).toMatchObject({ state: 'done' });
  });

  it('leaves a transfer that no transaction names to an operator where sends were lost', async () => {
    const body = await promised(1, 'strict');
    const seen = transfer(body, 'internal', { transactionHash: '', depositor: '', amount: 150_000n });
    await markRestored(scene.store, NOW + 1);
    await scene.sees([seen]);
    await scene.finalises(101);
    expect(await scene.depositRow(seen)).toMatchObject({ decision: 'waiting' });
    expect([...scene.alerts]).toContain(`unshown:${seen.fundingKey}`);
    const late = transfer(await promised(2, 'strict'), 'late', {
      ...{ transactionHash: '', depositor: '' },
      block: { height: 103, id: 'a-103', timestamp: NOW + 2 },
    });
    await scene.sees([late]);
    expect(await scene.depositRow(late)).toMatchObject({ decision: 'fill' });
    expect(await refundRequest(scene.context, body.requestId)).toMatchObject({ ok: true, state: 'owed' });
    expect(await scene.depositRow(seen)).toMatchObject({ decision: 'refund' });
    expect([...scene.alerts]).toEqual([]);
  });

  it('counts what addresses hold as the depository, and no more than the books know', async () => {
    const body = await promised(1, 'strict');
    const { origin, context } = scene;
    const before = await depositoryHolds(context, origin, origin.coin);
    await scene.sees([transfer(body, 'exact')]);
    expect(await depositoryHolds(context, origin, origin.coin)).toBe(before + 100_000n);
  });

  it('counts them all, however many small ones were paid first', async () => {
    const { origin, context, store } = scene;
    const before = await depositoryHolds(context, origin, origin.coin);
    for (let n = 0; n < 5_500; n += 500) {
      const changes = Array.from(
        { length: 500 },
        (_, i): Change => ({
          ...{ op: 'insert', table: 'deposits' },
          row: depositRow(n + i, {
            ...{ chainId: ORIGIN, currency: origin.coin, amount: 2n, state: 'final', seenAt: NOW + n },
            ...{ depositAddress: `small-${n + i}`, salt: quoteBody(1).requestId },
          }),
        }),
      );
      expect(await store.apply({ name: 'small', changes })).toEqual({ ok: true });
    }
    expect(await depositoryHolds(context, origin, origin.coin)).toBe(before + 11_000n);
  });
});

describe('an open deposit address', () => {
  let asked: unknown[] = [];

  beforeEach(() => {
    asked = [];
  });

  const quoted = (first: number): Requote => {
    let n = first;
    return async (ask) => {
      asked.push(ask);
      return quoteBody(n++, {
        amountIn: ask.amount,
        amountOut: String(BigInt(ask.amount) - 1_000n),
        minimumAmount: '1',
      });
    };
  };
  const round = (requote: Requote) => new OpenOrders(scene.context, requote).round(scene.context, scene.origin);

  it('quotes each transfer again, as a child of its own', async () => {
    const body = await promised(1, 'open');
    const first = transfer(body, 'first', { amount: 40_000n });
    const second = transfer(body, 'second', { amount: 50_000n });
    await scene.sees([first, second]);
    expect(await scene.depositRow(first)).toMatchObject({ decision: 'waiting' });
    await round(quoted(7));
    expect(asked.at(0)).toMatchObject({ amount: '40000', tradeType: 'EXACT_INPUT', useDepositAddress: true });
    await scene.pays(scene.destination);
    const child = await scene.requestOf(first);
    const orderId = orderOfTransfer(body.requestId, first.fundingKey);
    expect(child).toMatchObject({ parentRequestId: body.requestId, orderId });
    expect(await scene.leg(legId.fill(orderId))).toMatchObject({ covers: 40_000n, amount: 39_000n });
    expect(await scene.request(body)).toMatchObject({ status: 'waiting', fundingKey: null });
  });

  it('quotes with the swap sources that its client chose', async () => {
    const body = await promised(1, 'open', { swaps: { excludedSwapSources: ['pools'], maxRouteLength: 1 } });
    await scene.sees([transfer(body, 'chosen', { amount: 40_000n })]);
    await round(quoted(7));
    expect(asked).toMatchObject([{ excludedSwapSources: ['pools'], maxRouteLength: 1 }]);
  });

  it('names the newest transfer as what took over, on chains whose clients follow the address', async () => {
    const { depositAddresses } = scene.origin.capabilities;
    if (depositAddresses === undefined) return expect.fail('it has no addresses');
    const followed = async (n: number, more: { readonly supersedes?: true }) => {
      scene.origin.capabilities = {
        ...scene.origin.capabilities,
        depositAddresses: { ...depositAddresses, ...more },
      };
      const body = await promised(n, 'open');
      const [first, second] = [transfer(body, `f${n}`), transfer(body, `s${n}`)];
      for (const seen of [first, second]) await scene.sees([seen]);
      const parent = JSON.parse((await scene.request(body))?.body ?? '{}') as QuoteBody;
      return [parent.supersededBy, (await scene.requestOf(second))?.id];
    };
    const [named, newest] = await followed(1, { supersedes: true });
    expect(named).toBe(newest);
    expect((await followed(2, {}))[0]).toBeUndefined();
  });

  it('refunds a deposit that names its request', async () => {
    const body = await promised(1, 'open');
    const named = scene.deposit(body, 'named');
    await scene.sees([named]);
    expect(await scene.requestOf(named)).toMatchObject({ parentRequestId: body.requestId, failReason: 'DOUBLE_SPEND' });
    expect(await requestOfAddress(scene.store, body.requestId)).toMatchObject({ status: 'waiting' });
  });

  it('leaves a transfer that no transaction names to an operator where sends were lost', async () => {
    const body = await promised(1, 'open');
    const seen = transfer(body, 'internal', { transactionHash: '', depositor: '', amount: 40_000n });
    await scene.sees([seen]);
    await markRestored(scene.store, NOW + 1);
    await round(quoted(7));
    expect(await scene.depositRow(seen)).toMatchObject({ decision: 'waiting' });
    expect([...scene.alerts]).toContain(`unshown:${seen.fundingKey}`);
  });

  it('decides a transfer once, however often it is seen and quoted', async () => {
    const body = await promised(1, 'open');
    const seen = transfer(body, 'once', { amount: 40_000n });
    await scene.sees([seen]);
    await round(quoted(7));
    await scene.sees([seen]);
    await round(quoted(8));
    const orderId = orderOfTransfer(body.requestId, seen.fundingKey);
    expect(await scene.requestOf(seen)).toMatchObject({ orderId });
    expect(await scene.leg(legId.fill(orderId))).toMatchObject({ amount: 39_000n });
    expect(asked).toHaveLength(1);
  });

  it('leaves a transfer as another process decided it meanwhile', async () => {
    const body = await promised(1, 'open');
    const seen = transfer(body, 'raced', { amount: 40_000n });
    await scene.sees([seen]);
    const orderId = orderOfTransfer(body.requestId, seen.fundingKey);
    await round(async (ask, request) => {
      await round(async () => apiError('AMOUNT_TOO_LOW'));
      return quoted(7)(ask, request);
    });
    expect(await scene.leg(legId.refund(seen.fundingKey))).toMatchObject({ covers: 40_000n });
    expect(await scene.store.legs([legId.fill(orderId)])).toEqual([]);
    expect(await scene.requestOf(seen)).toMatchObject({ failReason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL' });
  });

  it('waits for its depth again where a reorg moves a transfer while it is quoted', async () => {
    scene.origin.depth = 2;
    const body = await promised(1, 'open');
    const seen = transfer(body, 'moved', { amount: 40_000n });
    for (const batch of [[seen], [], []]) await scene.sees(batch);
    const moved = { ...seen, block: { height: 103, id: 'b-103', timestamp: NOW } };
    await round(async (ask, request) => {
      await scene.sees([moved], { rewoundTo: 100 });
      return quoted(7)(ask, request);
    });
    expect(asked).toHaveLength(1);
    expect(await scene.depositRow(seen)).toMatchObject({ decision: 'waiting', height: 103 });
    for (let n = 0; n < 2; n += 1) await scene.sees([]);
    await round(quoted(8));
    expect(await scene.depositRow(seen)).toMatchObject({ decision: 'fill' });
  });

  it('refunds what cannot be quoted, and waits while that may pass', async () => {
    const body = await promised(1, 'open');
    const seen = transfer(body, 'poor', { amount: 40_000n });
    await scene.sees([seen]);
    await round(async () => apiError('PRICE_FETCH_FAILED'));
    expect(await scene.depositRow(seen)).toMatchObject({ decision: 'waiting' });
    await round(async () => apiError('AMOUNT_TOO_LOW'));
    expect(await scene.requestOf(seen)).toMatchObject({ failReason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL' });
    expect(await scene.leg(legId.refund(seen.fundingKey))).toMatchObject({ recipient: 'refund-recipient' });
  });

  it('is not kept waiting by deposits to the depository, nor by transfers that cannot be quoted yet', async () => {
    const body = await promised(1, 'open');
    const others = Array.from({ length: 30 }, (_, n) =>
      depositRow(100 + n, { chainId: ORIGIN, decision: 'waiting', seenAt: NOW - 60_000 }),
    );
    const { store } = scene;
    const changes = others.map((row) => ({ op: 'insert', table: 'deposits', row }) as const);
    expect(await store.apply({ name: 'others', changes })).toEqual({ ok: true });
    const unpriced = Array.from({ length: 20 }, (_, n) => transfer(body, `unpriced-${n}`, { amount: 40_000n }));
    await scene.sees(unpriced);
    const last = transfer(body, 'last', { amount: 50_000n });
    await scene.sees([last]);
    const good = quoted(7);
    const orders = new OpenOrders(scene.context, async (ask, request) =>
      ask.amount === '50000' ? good(ask, request) : apiError('PRICE_FETCH_FAILED'),
    );
    expect(await orders.round(scene.context, scene.origin)).toBe(true);
    await orders.round(scene.context, scene.origin);
    expect(await scene.depositRow(last)).toMatchObject({ decision: 'fill' });
  });

  it('holds what goes back where no refund address is known, never for the sender', async () => {
    const body = await promised(1, 'open', { refundTo: null });
    const seen = transfer(body, 'held', { amount: 40_000n });
    await scene.sees([seen]);
    await round(async () => apiError('UNSUPPORTED_ROUTE'));
    await scene.finalises(101);
    await scene.pays(scene.origin);
    expect(await scene.requestOf(seen)).toMatchObject({
      status: 'failure',
      failReason: 'NO_QUOTES',
      refundFailReason: 'MANUAL_REFUND_REQUIRED',
    });
    const [hold] = await scene.store.holds('open');
    expect(hold).toMatchObject({ fundingKey: seen.fundingKey, amount: 40_000n });
    await swept(103);
    expect(await scene.depositRow(seen)).toMatchObject({ sweptAt: NOW });
    const id = hold?.id ?? '';
    expect(await releaseHold(scene.context, id)).toMatchObject({ ok: false, code: 'notSafe' });
    expect(await releaseHold(scene.context, id, 'owner')).toMatchObject({ ok: true, state: 'owed' });
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.at(-1)?.legs).toMatchObject([{ kind: 'refund', recipient: 'owner', amount: 40_000n }]);
  });
});

it('records a transfer whose transaction and sender its chain does not show', async () => {
  const body = await promised(1, 'strict');
  const seen = transfer(body, 'internal', { transactionHash: '', depositor: '' });
  await scene.sees([seen]);
  expect(await scene.request(body)).toMatchObject({ status: 'pending', sender: null, depositor: null });
  const [view] = await scene.store.views([body.requestId]);
  expect(view?.transactions).toEqual([]);
});

it('holds no refund where a ledger in use gets a lane for sweeps', async () => {
  const { context, destination } = scene;
  await context.starts.readLedger(context);
  destination.lanes = [...destination.lanes, { signer: SWEEPER, sends: ['sweep'] }];
  await openLane(context, destination, SWEEPER);
  const body = await scene.quote(1);
  const seen = scene.deposit(body, 'little', { amount: 50_000n });
  await scene.sees([seen]);
  await scene.finalises(101);
  await scene.pays(scene.origin);
  expect(scene.origin.prepared.at(-1)?.legs).toMatchObject([{ kind: 'refund' }]);
  expect(await scene.store.holds('open')).toEqual([]);
});

describe('an address that a restored ledger does not know', () => {
  it('is watched again from the id of its request, and holds what arrived', async () => {
    const [first, second] = [quoteBody(8).requestId, quoteBody(9).requestId];
    for (const salt of [first, second])
      expect(await recoverAddress(scene.context, ORIGIN, salt)).toMatchObject({ ok: true, state: 'owed' });
    expect(await recoverAddress(scene.context, ORIGIN, first)).toMatchObject({ ok: true, state: 'alreadyDone' });
    const seen = scene.deposit(null, 'lost', { orderId: null, depositAddress: `address-${first}` });
    await scene.sees([seen]);
    await scene.finalises(101);
    await scene.pays(scene.origin);
    expect(await scene.requestOf(seen)).toMatchObject({
      id: first,
      status: 'failure',
      refundFailReason: 'MANUAL_REFUND_REQUIRED',
    });
    expect(scene.origin.prepared).toEqual([]);
  });

  it('is watched again once, however many ask at the same time', async () => {
    const { requestId } = quoteBody(8);
    const asked = await Promise.all([1, 2, 3].map(() => recoverAddress(scene.context, ORIGIN, requestId)));
    expect(asked.map((one) => one.ok && one.state).sort()).toEqual(['alreadyDone', 'alreadyDone', 'owed']);
  });

  it('needs a chain with addresses', async () => {
    expect(await recoverAddress(scene.context, 902, quoteBody(8).requestId)).toMatchObject({
      ok: false,
      code: 'invalid',
    });
  });
});
