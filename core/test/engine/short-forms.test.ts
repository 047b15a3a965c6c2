import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DepositObservation, Hex, Sighting } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { UnitOfWork } from '../../src/engine/base/unit-of-work.js';
import { isPromisedOn } from '../../src/engine/deposits/short-forms.js';
import { askWitnesses } from '../../src/engine/deposits/witness.js';
import { noteForeign } from '../../src/engine/recovery/foreign-fills.js';
import { insert, quoteRow } from '../../src/testing/store-fixtures.js';
import { DESTINATION, ORIGIN, quoteBody } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

const BYTES = 20;
const DAYS = 86_400_000;

let scene: Scene;

/** Orders with equal words share their first 20 bytes. */
const order = (word: string, last: string): Hex => `0x${word.repeat(20)}${last.repeat(12)}`;
const formOf = (orderId: Hex): Hex => orderId.slice(0, 2 + 2 * BYTES) as Hex;
const [A, ANOTHER, B] = [order('a1', '01'), order('a1', '02'), order('b2', '03')];

beforeEach(async () => {
  scene = await Scene.open();
  scene.origin.facts = { ...scene.origin.facts, orderIdBytes: BYTES };
});

afterEach(async () => {
  await scene.close();
});

async function promised(n: number, orderId: Hex): Promise<QuoteBody> {
  const body = quoteBody(n, { orderId });
  const { expiresAt, deadlineAt, ttlAt } = body;
  const row = quoteRow(n, { orderId, expiresAt, deadlineAt, ttlAt, body: JSON.stringify(body), amountUsd: 100_000 });
  expect(await scene.store.apply({ name: 'quote', changes: [insert('quotes', row)] })).toEqual({ ok: true });
  return body;
}

function paid(body: QuoteBody, name: string, change: Partial<DepositObservation> = {}): DepositObservation {
  return scene.deposit(body, name, { orderId: formOf(body.orderId), ...change });
}

const depositOf = async (name: string) => (await scene.store.deposits([`901:${name}:0`]))[0];
const refundOf = (name: string) => scene.leg(legId.refund(`901:${name}:0`));

it('fills the one order that has the form, and keeps its whole id', async () => {
  const body = await promised(1, A);
  await promised(2, B);
  await scene.sees([paid(body, 'a')]);
  expect(await depositOf('a')).toMatchObject({ orderId: A, requestId: body.requestId, decision: 'fill' });
  expect(await scene.leg(legId.fill(A))).toMatchObject({ state: 'owed', orderId: A, amount: 99_000n });
});

it('looks all that a batch carries up at once, and nothing where deposits carry whole ids', async () => {
  const asked: (readonly Hex[])[] = [];
  const { ordersByPrefix } = scene.store;
  Object.assign(scene.context, {
    store: {
      ...scene.store,
      ordersByPrefix: (all: readonly Hex[]) => {
        asked.push(all);
        return ordersByPrefix(all);
      },
    },
  });
  const [a, b] = [await promised(1, A), await promised(2, B)];
  const many = Array.from({ length: 120 }, (_, n) => paid(n % 2 ? a : b, `n${n}`));
  await scene.sees([...many, scene.deposit(null, 'nameless'), paid(a, 'odd', { orderId: A.slice(0, 20) as Hex })]);
  expect(asked).toEqual([[formOf(B), formOf(A)]]);
  await scene.headWith(501, [{ ...scene.deposit(a, 'whole'), fundingKey: '902:whole:0', chainId: DESTINATION }]);
  expect(asked).toHaveLength(1);
});

describe('two orders of one form', () => {
  it('own nothing that carries it: it is refunded to the depositor that the chain proves', async () => {
    const body = await promised(1, A);
    await promised(2, ANOTHER);
    await scene.sees([paid(body, 'a')]);
    for (const orderId of [A, ANOTHER]) expect(await scene.leg(legId.fill(orderId))).toBeUndefined();
    const { requestId } = (await depositOf('a')) ?? {};
    expect([1, 2].map((n) => quoteBody(n).requestId)).not.toContain(requestId);
    await scene.finalises(101);
    await scene.pays(scene.origin);
    expect(await refundOf('a')).toMatchObject({ recipient: 'depositor', covers: 100_000n, state: 'bound' });
  });

  it('own nothing: it is held where the chain proves no one', async () => {
    const body = await promised(1, A);
    await promised(2, ANOTHER);
    scene.origin.paidByOne = false;
    await scene.sees([paid(body, 'a')]);
    await scene.finalises(101);
    await scene.pays(scene.origin);
    expect((await scene.store.holds('open')).map(({ reason }) => reason)).toEqual(['MANUAL_REFUND_REQUIRED']);
    expect(scene.origin.prepared).toEqual([]);
  });

  it('own nothing, though one of them is long forgotten and has left a tombstone', async () => {
    await promised(1, A);
    scene.now = quoteBody(1).deadlineAt + 31 * DAYS;
    await scene.store.prune(scene.now);
    const body = await promised(2, ANOTHER);
    await scene.sees([paid(body, 'a')]);
    expect(await scene.leg(legId.fill(ANOTHER))).toBeUndefined();
    expect(await refundOf('a')).toMatchObject({ recipient: 'depositor' });
  });

  it('leave a transfer alone that was of the first before there was a second, whatever a reorg does to it', async () => {
    const body = await promised(1, A);
    await scene.sees([paid(body, 'a')]);
    await promised(2, ANOTHER);
    const moved = { height: 102, id: 'b-102', timestamp: scene.now };
    await scene.sees([paid(body, 'a', { block: moved })], { rewoundTo: 100 });
    expect(await depositOf('a')).toMatchObject({ orderId: A, state: 'included', blockId: 'b-102', decision: 'fill' });
    await scene.sees([], { rewoundTo: 101 });
    await scene.sees([paid(body, 'a', { block: moved })]);
    expect(await depositOf('a')).toMatchObject({ orderId: A, state: 'included' });
    expect(await scene.store.holds('open')).toEqual([]);
    expect([...scene.alerts]).toEqual([]);
  });
});

it('takes a form that no order has for no name, also once an order has it, and also after a reorg', async () => {
  const body = quoteBody(1, { orderId: A });
  await scene.sees([paid(body, 'a'), paid(body, 'b')]);
  const [a, b] = [await depositOf('a'), await depositOf('b')];
  expect([a?.orderId, b?.orderId]).toEqual([formOf(A), formOf(A)]);
  // No parent: a short form names nothing.
  const [one, other] = await scene.store.requests([a?.requestId ?? '0x', b?.requestId ?? '0x']);
  expect([one?.parentRequestId, other?.parentRequestId]).toEqual([null, null]);
  expect(one?.orderId).not.toBe(other?.orderId);
  await promised(1, A);
  const moved = { height: 102, id: 'b-102', timestamp: scene.now };
  await scene.sees([paid(body, 'a', { block: moved }), paid(body, 'b')], { rewoundTo: 100 });
  expect(await depositOf('a')).toMatchObject({ orderId: formOf(A), state: 'included', blockId: 'b-102' });
  expect(await scene.leg(legId.fill(A))).toBeUndefined();
  expect(await scene.store.holds('open')).toEqual([]);
});

it('does not take a request for an order that a third party began under an id of his choice elsewhere', async () => {
  const body = await promised(1, A);
  const thief = {
    ...scene.deposit(null, 'thief', { orderId: ANOTHER }),
    fundingKey: '902:thief:0',
    chainId: DESTINATION,
    currency: scene.destination.coin,
  };
  await scene.headWith(501, [thief]);
  expect(await scene.store.requestsByOrder([ANOTHER])).toHaveLength(1);
  await scene.sees([paid(body, 'a')]);
  expect(await depositOf('a')).toMatchObject({ orderId: A, decision: 'fill' });
});

it('finds an order by what is left of it, and refunds a late transfer to the recipient that was fixed', async () => {
  const body = await promised(1, A);
  scene.now = body.deadlineAt + 31 * DAYS;
  await scene.store.prune(scene.now);
  await scene.sees([paid(body, 'late', { block: { height: 101, id: 'late', timestamp: scene.now } })]);
  expect(await refundOf('late')).toMatchObject({ recipient: body.refundRecipient, reason: 'ORDER_EXPIRED' });
});

it('refunds a second transfer of an order as its duplicate', async () => {
  const body = await promised(1, A);
  await scene.sees([paid(body, 'a')]);
  await scene.sees([paid(body, 'b')]);
  expect(await refundOf('b')).toMatchObject({ recipient: body.refundRecipient, reason: 'DOUBLE_SPEND' });
});

it('asks witnesses about what they see, not about what it was found to be', async () => {
  const asked: Sighting[] = [];
  scene.origin.providersAsked = 2;
  scene.origin.witnessed = (sighting) => asked.push(sighting) > 0;
  const body = await promised(1, A);
  await scene.sees([paid(body, 'a'), paid(quoteBody(2, { orderId: B }), 'b')]);
  await askWitnesses(scene.context, scene.origin, scene.session.patience);
  expect(asked.map(({ orderId }) => orderId)).toEqual([formOf(A), formOf(B)]);
});

it('shows the watcher which forms were promised, and none where it cannot know', async () => {
  await promised(1, A);
  const isPromised = isPromisedOn(scene.context, ORIGIN);
  expect([...(await isPromised([formOf(A), formOf(B)]))]).toEqual([formOf(A)]);
  expect([...(await isPromisedOn(scene.context, DESTINATION)([A, B]))]).toEqual([A]);
  const broken = {
    ...scene.context,
    store: { ...scene.store, ordersByPrefix: () => Promise.reject(new Error('away')) },
  };
  expect([...(await isPromisedOn(broken, ORIGIN)([formOf(A)]))]).toEqual([]);
});

it('sees the batch again where orders could not be looked up: nothing of it is written', async () => {
  const body = await promised(1, A);
  const { store } = scene;
  Object.assign(scene.context, { store: { ...store, ordersByPrefix: () => Promise.reject(new Error('away')) } });
  await expect(scene.sees([paid(body, 'a')])).rejects.toThrow('away');
  expect(await depositOf('a')).toBeUndefined();
  Object.assign(scene.context, { store });
  await scene.sees([paid(body, 'a')]);
  expect(await depositOf('a')).toMatchObject({ orderId: A, decision: 'fill' });
});

it('refunds nothing for an order that this ledger lost and that was filled, though its transfer carries no more than a form', async () => {
  const unit = new UnitOfWork();
  const spender = { hash: 'f', sender: SIGNER, filled: [A] } as never;
  await noteForeign(scene.context, unit, [spender], false);
  expect(await scene.store.apply(unit.toChangeSet('test'))).toEqual({ ok: true });
  await scene.sees([paid(quoteBody(1, { orderId: A }), 'lost'), paid(quoteBody(2, { orderId: B }), 'free')]);
  await scene.finalises(101);
  await scene.pays(scene.origin);
  expect(await refundOf('lost')).toMatchObject({ state: 'held' });
  expect(await refundOf('free')).toMatchObject({ state: 'bound' });
});
