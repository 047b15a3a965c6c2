import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nonceMappingId } from '../../src/capabilities/nonce-mappings/sent-by.js';
import type { DepositObservation, Sighting } from '../../src/contract/deposits.js';
import type { ChainId } from '../../src/contract/ids.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { WatchSession } from '../../src/engine/deposits/watch-session.js';
import { askWitnesses } from '../../src/engine/deposits/witness.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import { insert, nonceMappingRow } from '../../src/testing/store-fixtures.js';
import { DESTINATION, ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

const sentBy = (nonce: string, account = 'depositor') => ({ account, nonce });

/** A transfer that names no order itself. */
function plain(name: string, nonce: string, more: Partial<DepositObservation> = {}): DepositObservation {
  return scene.deposit(null, name, { sentBy: sentBy(nonce), ...more });
}

async function mapped(n: number, nonce: string, chainId: ChainId = ORIGIN): Promise<QuoteBody> {
  const body = await scene.quoteOf(n);
  const id = nonceMappingId(chainId, sentBy(nonce));
  const row = nonceMappingRow(n, { id, chainId, orderId: body.orderId });
  await scene.store.apply({ name: 'test.map', changes: [insert('nonceMappings', row)] });
  return body;
}

const fill = (body: QuoteBody) => scene.leg(legId.fill(body.orderId));
const refund = ({ fundingKey }: DepositObservation) => scene.leg(legId.refund(fundingKey));
const fills = async (...bodies: readonly QuoteBody[]) => {
  const found = await Promise.all(bodies.map(fill));
  return found.map((leg) => leg?.fundingKey ?? null);
};

describe('a transfer in a mapped transaction', () => {
  it('pays the order, once', async () => {
    const body = await mapped(1, '7');
    const seen = plain('a', '7');
    await scene.sees([seen]);
    expect(await scene.depositRow(seen)).toMatchObject({
      orderId: body.orderId,
      requestId: body.requestId,
      senderNonce: '{"account":"depositor","nonce":"7"}',
    });
    await scene.sees([seen]);
    await scene.pays(scene.destination);
    await scene.finalises(150);
    expect(scene.destination.prepared.flatMap(({ legs }) => legs)).toMatchObject([{ kind: 'fill', amount: 99_000n }]);
    expect(await refund(seen)).toBeUndefined();
  });

  it('pays no order where account, nonce or chain is another', async () => {
    const [body, elsewhere] = [await mapped(1, '7'), await mapped(2, '8', DESTINATION)];
    const others = [
      plain('nonce', '9'),
      plain('account', '7', { sentBy: sentBy('7', 'stranger'), depositor: 'stranger' }),
      plain('chain', '8'),
      scene.deposit(null, 'unknown'),
    ];
    await scene.sees(others);
    await scene.finalises(150);
    expect(await fills(body, elsewhere)).toEqual([null, null]);
    for (const seen of others) expect(await refund(seen)).toMatchObject({ state: 'owed', orderId: null });
  });

  it('pays no order where another account than its sender paid', async () => {
    const body = await mapped(1, '7');
    await scene.sees([plain('a', '7', { depositor: 'victim' })]);
    expect(await fills(body)).toEqual([null]);
    expect(await scene.depositRow(plain('a', '7'))).toMatchObject({ orderId: null, senderNonce: null });
  });

  it('keeps the order that it names itself', async () => {
    const [own, other] = [await scene.quote(1), await mapped(2, '7')];
    const seen = scene.deposit(own, 'a', { sentBy: sentBy('7') });
    await scene.sees([seen]);
    expect(await scene.depositRow(seen)).toMatchObject({ orderId: own.orderId, senderNonce: null });
    expect(await fills(own, other)).toEqual([seen.fundingKey, null]);
  });

  it('is refunded where it pays too little', async () => {
    const body = await mapped(1, '7');
    const seen = plain('a', '7', { amount: BigInt(body.amountIn) / 2n });
    await scene.sees([seen]);
    await scene.finalises(150);
    expect(await refund(seen)).toMatchObject({
      reason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL',
      recipient: 'refund-recipient',
    });
    expect(await fills(body)).toEqual([null]);
  });

  it('stays what it was decided as where the mapping comes later', async () => {
    const seen = plain('a', '7');
    await scene.sees([seen]);
    const body = await mapped(1, '7');
    await scene.sees([seen]);
    await scene.finalises(150, [{ ...seen, state: 'final' }]);
    await scene.pays(scene.origin);
    expect(await fills(body)).toEqual([null]);
    expect(await refund(seen)).toMatchObject({ state: 'bound', recipient: 'depositor' });
  });
});

describe('after a reorg', () => {
  const moved = { block: { height: 105, id: 'b-105', timestamp: 1 } };

  it('the same transaction pays the same order, with one fill', async () => {
    const body = await mapped(1, '7');
    const seen = plain('a', '7');
    await scene.sees([seen]);
    await scene.pays(scene.destination);
    await scene.sees([], { rewoundTo: 100 });
    await scene.sees([{ ...seen, ...moved }]);
    await scene.pays(scene.destination);
    expect(await scene.depositRow(seen)).toMatchObject({ state: 'included', blockId: 'b-105', orderId: body.orderId });
    expect(scene.destination.prepared).toHaveLength(1);
    expect(await scene.store.holds('open')).toEqual([]);
  });

  it('one that no longer shows its sender is for an operator, and never pays another order', async () => {
    const body = await mapped(1, '7');
    const seen = plain('a', '7');
    await scene.sees([seen]);
    await scene.sees([], { rewoundTo: 100 });
    await scene.sees([scene.deposit(null, 'a', moved)]);
    expect(await scene.depositRow(seen)).toMatchObject({ state: 'vanished', orderId: body.orderId });
    expect(await scene.store.holds('open')).toMatchObject([{ reason: 'DEPOSIT_CHANGED', fundingKey: seen.fundingKey }]);
  });

  it('another transaction of the same nonce takes over', async () => {
    const body = await mapped(1, '7');
    await scene.sees([plain('a', '7')]);
    await scene.sees([], { rewoundTo: 100 });
    const other = plain('b', '7', moved);
    await scene.sees([other]);
    await scene.pays(scene.destination);
    expect(await fills(body)).toEqual([other.fundingKey]);
    expect(scene.destination.prepared).toHaveLength(1);
  });
});

it('is confirmed by other providers as what its transaction says', async () => {
  const asked: Sighting[] = [];
  scene.origin.providersAsked = 2;
  scene.origin.witnessed = (sighting) => asked.push(sighting) < 0;
  const [body, own] = [await mapped(1, '7'), await scene.quote(2)];
  await scene.sees([plain('a', '7'), scene.deposit(own, 'b', { sentBy: sentBy('8') })]);
  await askWitnesses(scene.context, scene.origin, new WatchSession(scene.context.clock).patience);
  expect(asked).toMatchObject([{ orderId: null, sentBy: sentBy('7') }, { orderId: own.orderId }]);
  expect(asked[1]?.sentBy).toBeUndefined();
  expect(await fills(body, own)).toEqual([null, null]);
});

describe('a ledger that was restored, and may lack a mapping', () => {
  it('refunds no transfer from before that a mapping may have named, and later ones as ever', async () => {
    scene.now += 1_000;
    await markRestored(scene.store, scene.now);
    const [before, unnamed] = [plain('a', '7'), scene.deposit(null, 'b')];
    const later = plain('c', '8', { block: { height: 102, id: 'c', timestamp: scene.now + 1 } });
    await scene.sees([before, unnamed, later]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(await refund(before)).toMatchObject({ state: 'held' });
    expect(await refund(unnamed)).toMatchObject({ state: 'bound' });
    expect(await refund(later)).toMatchObject({ state: 'bound' });
  });

  it('fills nothing by itself for a mapping that was made again', async () => {
    scene.now += 1_000;
    await markRestored(scene.store, scene.now);
    const body = await mapped(1, '7');
    await scene.sees([plain('a', '7')]);
    await scene.pays(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'owed' });
    expect(scene.destination.prepared).toEqual([]);
  });
});
