import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenOrders } from '../../src/capabilities/deposit-addresses/open-orders.js';
import type { DepositObservation } from '../../src/contract/index.js';
import { account, legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { refundRequest } from '../../src/engine/operator/refund-request.js';
import { releaseHold } from '../../src/engine/operator/release-hold.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { apiError } from '../../src/errors/api-error.js';
import { Addresses, SWEEPER } from './support/addresses.js';
import { NOW, ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

/** Of a sweep, and of a payment, in the currency of the transfers. */
const GAS = 10n;

let scene: Scene;
let addresses: Addresses;
let body: QuoteBody;
let height = 101;

beforeEach(async () => {
  height = 101;
  scene = await Scene.open();
  addresses = await Addresses.on(scene);
  body = await addresses.promised(1, 'open');
});

afterEach(async () => {
  await scene.close();
});

const refundOf = (seen: DepositObservation) => scene.leg(legId.refund(seen.fundingKey));
const openHolds = async () => (await scene.store.holds('open')).map(({ fundingKey }) => fundingKey);

/** A transfer that cannot be quoted, final; swept unless it is not worth that. */
async function paidIn(
  name: string,
  amount: bigint,
  more: Partial<DepositObservation> & { readonly to?: QuoteBody; readonly isSwept?: boolean } = {},
): Promise<DepositObservation> {
  const { to = body, isSwept = true, ...overrides } = more;
  height += 1;
  const block = { height, id: `a-${height}`, timestamp: NOW };
  const seen = addresses.transfer(to, name, { amount, block, ...overrides });
  await scene.sees([seen]);
  await new OpenOrders(scene.context, async () => apiError('UNSUPPORTED_ROUTE')).round(scene.context, scene.origin);
  await scene.finalises(height);
  await scene.settles(scene.origin);
  if (isSwept) await addresses.swept(height + 1);
  return seen;
}

/** Judges, signs and lands what is owed. */
async function pays(): Promise<void> {
  scene.now += 3_000;
  await scene.pays(scene.origin);
  await scene.pays(scene.origin);
  for (const { key, legs } of scene.origin.prepared)
    if (legs.every(({ kind }) => kind !== 'sweep')) scene.origin.lands(key, height + 3, { final: true });
  await scene.tracks(scene.origin);
}

/** The store takes no hold's money twice: a change set that tries is refused. */
function refusedSets(): readonly string[] {
  const refused: string[] = [];
  const apply = scene.store.apply.bind(scene.store);
  scene.store.apply = async (set) => {
    const outcome = await apply(set).catch((error: unknown) => {
      refused.push(`${set.name}: ${String(error)}`);
      throw error;
    });
    if (!outcome.ok) refused.push(`${set.name}: ${outcome.conflict.table}`);
    return outcome;
  };
  return refused;
}

const paid = () =>
  scene.origin.prepared.flatMap(({ legs }) =>
    legs.flatMap((leg) => (leg.kind === 'sweep' ? [] : [[leg.kind, leg.recipient, leg.amount]])),
  );

describe('a transfer that is held because gas would take all of it', () => {
  it('is refunded with a later one, under the key of that alone, and both are refunded', async () => {
    const first = await paidIn('first', GAS + 6n);
    expect(await openHolds()).toEqual([first.fundingKey]);
    expect(await scene.requestOf(first)).toMatchObject({ refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND' });
    const second = await paidIn('second', 1_000n);
    await pays();
    expect(paid()).toEqual([['refund', 'refund-recipient', 1_000n + GAS + 6n - 3n * GAS]]);
    expect(scene.origin.prepared.at(-1)?.legs).toMatchObject([{ fundingKey: second.fundingKey }]);
    expect(await openHolds()).toEqual([]);
    expect(await refundOf(first)).toMatchObject({ state: 'joined', reason: legId.refund(second.fundingKey) });
    for (const seen of [first, second]) expect(await scene.requestOf(seen)).toMatchObject({ status: 'refund' });
    const [view] = await scene.store.views([(await scene.requestOf(first)).id]);
    expect(view?.transactions.filter(({ role }) => role === 'refund')).toHaveLength(1);
    expect(view?.request.details).toContain((await scene.requestOf(second)).id);
    expect(await scene.depositRow(first)).toMatchObject({ collectable: 0n });
    expect(await scene.depositRow(second)).toMatchObject({ collectable: 3n * GAS });
    expect(await scene.pot(account.depository(ORIGIN, scene.origin.coin))).toBe(3n * GAS);
    expect(await scene.pot(account.held(ORIGIN, scene.origin.coin))).toBe(0n);
    await scene.idle();
  });

  it('makes another one worth refunding that is too little by itself', async () => {
    const first = await paidIn('first', GAS + 6n);
    const second = await paidIn('second', GAS + 6n);
    await pays();
    expect(await openHolds()).toEqual([]);
    expect(paid()).toEqual([['refund', 'refund-recipient', 2n * (GAS + 6n) - 3n * GAS]]);
    for (const seen of [first, second]) expect(await scene.requestOf(seen)).toMatchObject({ status: 'refund' });
  });

  it('waits for its sweep where the later one needs it', async () => {
    const first = await paidIn('first', GAS + 6n, { isSwept: false });
    const second = await paidIn('second', GAS + 6n, { isSwept: false });
    expect(await openHolds()).toEqual([first.fundingKey]);
    expect(await refundOf(second)).toMatchObject({ state: 'owed', joined: null });
    await scene.settles(scene.origin, SWEEPER);
    for (const { key } of scene.origin.prepared)
      scene.origin.lands(key, height + 1, { final: true, feePaidBy: { pot: 'lane', owner: SWEEPER } });
    await scene.tracks(scene.origin, SWEEPER);
    await pays();
    expect(paid()).toEqual([['refund', 'refund-recipient', 2n * (GAS + 6n) - 3n * GAS]]);
  });

  it('stays held where its sweep would take it, where nothing is left together, and next to another currency or address', async () => {
    scene.origin.token = 'other';
    const dust = await paidIn('dust', GAS, { isSwept: false });
    const poor = await paidIn('poor', GAS + 1n);
    expect((await openHolds()).sort()).toEqual([dust.fundingKey, poor.fundingKey].sort());
    const again = await paidIn('again', GAS + 1n);
    await pays();
    expect(paid()).toEqual([]);
    await paidIn('token', 1_000n, { currency: 'other' });
    await paidIn('elsewhere', 1_000n, { to: await addresses.promised(2, 'open') });
    await pays();
    expect(paid().map(([, , amount]) => amount)).toEqual([980n, 980n]);
    expect((await openHolds()).sort()).toEqual([again, dust, poor].map(({ fundingKey }) => fundingKey).sort());
  });

  it('is taken by one later payment, not by two', async () => {
    const first = await paidIn('first', GAS + 6n);
    const block = { height: 200, id: 'a-200', timestamp: NOW };
    const both = ['second', 'third'].map((name) => addresses.transfer(body, name, { amount: 1_000n, block }));
    await scene.sees(both);
    await new OpenOrders(scene.context, async () => apiError('UNSUPPORTED_ROUTE')).round(scene.context, scene.origin);
    await scene.finalises(200);
    await scene.settles(scene.origin, SWEEPER);
    for (const { key } of scene.origin.prepared)
      scene.origin.lands(key, 201, { final: true, feePaidBy: { pot: 'lane', owner: SWEEPER } });
    await scene.tracks(scene.origin, SWEEPER);
    height = 201;
    const refused = refusedSets();
    await pays();
    expect(refused).toEqual([]);
    expect(
      paid()
        .map(([, , amount]) => amount)
        .sort(),
    ).toEqual([1_000n - 2n * GAS, 1_000n + 6n - 2n * GAS].sort());
    expect(await refundOf(first)).toMatchObject({ state: 'joined' });
  });

  it('goes only where its own payment would go, and never where an operator released it', async () => {
    const first = await paidIn('first', GAS + 6n);
    const [{ id = '' } = {}] = await scene.store.holds('open');
    const second = await paidIn('second', GAS + 2n);
    expect(await refundOf(second)).toMatchObject({ state: 'held' });
    expect(await releaseHold(scene.context, id, 'owner')).toMatchObject({ ok: true });
    await paidIn('third', 1_000n);
    await pays();
    expect(paid()).toContainEqual(['refund', 'owner', GAS + 6n]);
    expect(paid()).toContainEqual(['refund', 'refund-recipient', 1_000n + GAS + 2n - 3n * GAS]);
    expect(await refundOf(first)).toMatchObject({ state: 'done' });
    expect(await releaseHold(scene.context, id, 'owner')).toMatchObject({ state: 'alreadyDone' });
  });

  it('is not taken where a part of the ledger was lost, which may have paid it', async () => {
    const first = await paidIn('first', GAS + 6n);
    await markRestored(scene.store, NOW + 1);
    [height, scene.now] = [149, NOW + 10];
    await paidIn('second', 1_000n, { block: { height: 150, id: 'a-150', timestamp: NOW + 10 } });
    await pays();
    expect(paid()).toEqual([['refund', 'refund-recipient', 1_000n - 2n * GAS]]);
    expect(await refundOf(first)).toMatchObject({ state: 'held' });
  });

  it('is released after a restore only to a recipient that an operator names', async () => {
    const first = await paidIn('first', GAS + 6n);
    const [hold] = await scene.store.holds('open');
    const id = hold?.id ?? '';
    await markRestored(scene.store, NOW + 1);
    expect(await releaseHold(scene.context, id)).toMatchObject({ ok: false, code: 'notSafe' });
    expect(await releaseHold(scene.context, id, 'refund-recipient')).toMatchObject({ ok: true, state: 'owed' });
    expect(await refundOf(first)).toMatchObject({ state: 'owed', releasedBy: 'operator' });
  });

  it('is not refunded again by an operator once it was joined', async () => {
    const first = await paidIn('first', GAS + 6n);
    const [{ id = '' } = {}] = await scene.store.holds('open');
    await paidIn('second', 1_000n);
    await scene.settles(scene.origin);
    expect(await refundOf(first)).toMatchObject({ state: 'joined' });
    const { id: requestId } = await scene.requestOf(first);
    expect(await refundRequest(scene.context, requestId)).toMatchObject({ ok: false });
    expect(await releaseHold(scene.context, id, 'owner')).toMatchObject({ ok: true, state: 'inProgress' });
    await pays();
    expect(paid()).toHaveLength(1);
  });

  it('is refunded too where the payment that took it along was held and joined itself', async () => {
    const first = await paidIn('first', GAS + 6n);
    const second = await paidIn('second', GAS + 7n);
    expect(await refundOf(first)).toMatchObject({ state: 'joined' });
    scene.origin.gasCost = 2n * GAS;
    scene.now += 3_000;
    await scene.settles(scene.origin);
    expect(await refundOf(second)).toMatchObject({ state: 'held', reason: 'AMOUNT_TOO_LOW_TO_REFUND' });
    scene.origin.gasCost = GAS;
    const third = await paidIn('third', 1_000n);
    await pays();
    expect(paid()).toEqual([['refund', 'refund-recipient', 1_000n + 2n * GAS + 13n - 4n * GAS]]);
    for (const seen of [first, second, third]) expect(await scene.requestOf(seen)).toMatchObject({ status: 'refund' });
    expect(await openHolds()).toEqual([]);
    expect(await scene.pot(account.held(ORIGIN, scene.origin.coin))).toBe(0n);
    expect(await scene.pot(account.depository(ORIGIN, scene.origin.coin))).toBe(4n * GAS);
    await scene.idle();
  });

  it('is taken however many worthless ones a third party sent before', async () => {
    height = 110;
    const block = { height, id: 'a-110', timestamp: NOW };
    const other = await addresses.promised(2, 'open');
    const dust = Array.from({ length: 40 }, (_, n) =>
      addresses.transfer(n % 2 === 0 ? body : other, `dust-${n}`, { amount: GAS - 1n, block }),
    );
    await scene.sees(dust);
    const orders = new OpenOrders(scene.context, async () => apiError('UNSUPPORTED_ROUTE'));
    await orders.round(scene.context, scene.origin);
    await orders.round(scene.context, scene.origin);
    await scene.finalises(height);
    await scene.settles(scene.origin);
    expect(await openHolds()).toHaveLength(40);
    const first = await paidIn('first', GAS + 6n);
    await paidIn('second', 1_000n);
    await pays();
    expect(paid()).toEqual([['refund', 'refund-recipient', 1_000n + GAS + 6n - 3n * GAS]]);
    expect(await refundOf(first)).toMatchObject({ state: 'joined' });
  });

  it('is not added to a payment that was signed before, whose signature may still be used for less', async () => {
    const first = await paidIn('first', GAS + 6n, { isSwept: false });
    const second = await paidIn('second', 1_000n);
    const sweeps = scene.origin.prepared.map(({ key }) => key);
    scene.now += 3_000;
    await scene.pays(scene.origin);
    const [key = ''] = scene.origin.prepared.map((one) => one.key).filter((one) => !sweeps.includes(one));
    scene.origin.lands(key, height + 2, { ok: false, final: true });
    await scene.tracks(scene.origin);
    expect(await refundOf(second)).toMatchObject({ state: 'owed', reverts: 1, joined: null });
    scene.origin.lands(sweeps[0] ?? '', height + 2, { final: true, feePaidBy: { pot: 'lane', owner: SWEEPER } });
    await scene.tracks(scene.origin, SWEEPER);
    expect(await scene.depositRow(first)).toMatchObject({ sweptAt: scene.now });
    scene.now += 60_000;
    await scene.pays(scene.origin);
    expect(await refundOf(second)).toMatchObject({ state: 'bound', joined: null });
    expect(await refundOf(first)).toMatchObject({ state: 'held' });
  });

  it('is not taken where it was signed before, and may still be paid by that', async () => {
    scene.origin.reports(async () => ({ sent: [], pending: false, position: '9' }));
    const first = await paidIn('first', 4n * GAS);
    scene.now += 3_000;
    await scene.pays(scene.origin);
    const { key } = (await refundOf(first)) ?? {};
    scene.origin.evidence.set(key ?? '', { state: 'spentByOther', final: true });
    await scene.tracks(scene.origin);
    expect(await refundOf(first)).toMatchObject({ state: 'owed', closings: 1 });
    scene.origin.gasCost = 2n * GAS;
    scene.now += 60_000;
    await scene.settles(scene.origin);
    expect(await refundOf(first)).toMatchObject({ state: 'held', reason: 'AMOUNT_TOO_LOW_TO_REFUND' });
    scene.origin.gasCost = GAS;
    const second = await paidIn('second', 1_000n);
    scene.now += 3_000;
    await scene.pays(scene.origin);
    expect(await refundOf(second)).toMatchObject({ state: 'bound', covers: 1_000n, joined: null });
    expect(await openHolds()).toEqual([first.fundingKey]);
  });

  it('is not added to a payment that a lost part of the ledger may have made', async () => {
    const strict = await addresses.promised(2, 'strict');
    const more = await paidIn('more', 150_000n, { to: strict, isSwept: false });
    await markRestored(scene.store, NOW + 1);
    const block = { height: 150, id: 'a-150', timestamp: NOW + 2 };
    height = 150;
    const first = addresses.transfer(strict, 'first', { amount: GAS + 6n, block });
    await scene.sees([first]);
    await scene.finalises(150);
    await scene.settles(scene.origin);
    expect(await refundOf(first)).toMatchObject({ state: 'held', recipient: 'refund-recipient' });
    await scene.settles(scene.origin, SWEEPER);
    for (const { key } of scene.origin.prepared)
      scene.origin.lands(key, 151, { final: true, feePaidBy: { pot: 'lane', owner: SWEEPER } });
    await scene.tracks(scene.origin, SWEEPER);
    const id = legId.excess(more.fundingKey);
    const place = { hash: '0xlost', block: { height: 140, id: 'b', timestamp: NOW }, final: true };
    const moved = { sender: SIGNER, currency: scene.origin.coin, recipient: 'refund-recipient', moved: 49_980n };
    scene.origin.paid.set(id, { ...place, ...moved });
    scene.now += 3_000;
    await scene.pays(scene.origin);
    await scene.pays(scene.origin);
    expect(await scene.leg(id)).toMatchObject({ state: 'done', covers: 50_000n, joined: null });
    expect(await openHolds()).toEqual([first.fundingKey]);
  });
});
