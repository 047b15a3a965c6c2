import { afterEach, beforeEach, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { Scene } from './support/scene.js';

let scene: Scene;
let body: QuoteBody;

const FIRST = 'filler:0';
const SECOND = 'filler:1';
const INVENTORY = 'inventory:902:filler:coin-902';
const RESERVED = '#reserved:902:filler:coin-902';

beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
  // Messages expired without a fill.
  scene.destination.reports(async (_signer, _ledger, start) => ({ sent: [], pending: false, position: start }));
  scene.destination.unfilled = false;
  await scene.sees([scene.deposit(body, 'a')]);
  await scene.settles(scene.destination);
  expect(scene.destination.prepared.map(({ key }) => key)).toEqual([FIRST]);
});

afterEach(async () => {
  await scene.close();
});

function runsOut(key: string): void {
  scene.destination.evidence.set(key, { state: 'spentByOther', final: true });
}

async function fill() {
  const leg = await scene.leg(legId.fill(body.orderId));
  if (!leg) throw new Error('no fill');
  return leg;
}

async function shown() {
  const [view] = await scene.store.views([body.requestId]);
  return view?.transactions.filter(({ chainId }) => chainId === scene.destination.facts.id);
}

async function statuses(): Promise<string[]> {
  const rows = await scene.store.events(0, 100);
  return rows.map(({ payload }) => (JSON.parse(payload) as { data: { status: string } }).data.status);
}

it('is filled under the next key, once, and its inventory is claimed once', async () => {
  runsOut(FIRST);
  await scene.tracks(scene.destination);
  expect(await fill()).toMatchObject({ state: 'owed', key: null });
  expect(await scene.pot(RESERVED)).toBe(99_000n);
  expect(await shown()).toMatchObject([{ role: 'failed', status: 'failure', block: null }]);

  await scene.settles(scene.destination);
  expect(scene.destination.prepared.map(({ key }) => key)).toEqual([FIRST, SECOND]);
  expect(scene.destination.prepared[1]?.legs).toEqual(scene.destination.prepared[0]?.legs);
  scene.destination.lands(SECOND, 501, { final: true });
  await scene.tracks(scene.destination);
  expect((await fill()).state).toBe('done');
  expect(await statuses()).toEqual(['pending', 'submitted', 'pending', 'submitted', 'success']);
  const hash = scene.destination.hashUnder(SECOND);
  expect(await shown()).toMatchObject([{ role: 'fill', status: 'success', hash, block: 501 }]);
  expect(await scene.pot(INVENTORY)).toBe(1_000_000n - 99_000n - 7n);
  await scene.finalises(150);
  await scene.idle();
});

it('is signed again as often as its messages run out', async () => {
  for (let n = 0; n < 12; n += 1) {
    runsOut(`filler:${n}`);
    await scene.tracks(scene.destination);
    await scene.settles(scene.destination);
  }
  expect(scene.destination.prepared).toHaveLength(13);
  scene.destination.lands('filler:12', 501, { final: true });
  await scene.tracks(scene.destination);
  expect((await scene.request(body)).status).toBe('success');
});

it('is not signed again before that is final', async () => {
  scene.destination.evidence.set(FIRST, { state: 'spentByOther', final: false });
  await scene.tracks(scene.destination);
  await scene.settles(scene.destination);
  expect(scene.destination.prepared).toHaveLength(1);
  expect((await fill()).state).toBe('bound');
});

function isFilledBy(sender: string, final = true): void {
  scene.destination.paid.set(legId.fill(body.orderId), {
    ...{ hash: '0xother', block: { height: 500, id: 'b', timestamp: 0 }, final, sender },
    ...{ currency: scene.destination.coin, recipient: 'recipient', moved: 99_000n },
  });
}

it('is done where a lost message of our own filled the order, once that is final', async () => {
  isFilledBy('filler', false);
  runsOut(FIRST);
  await scene.tracks(scene.destination);
  await scene.settles(scene.destination);
  expect((await fill()).state).toBe('bound');
  isFilledBy('filler');
  await scene.tracks(scene.destination);
  await scene.settles(scene.destination);
  expect(scene.destination.prepared).toHaveLength(1);
  expect((await fill()).state).toBe('done');
  expect((await scene.request(body)).status).toBe('success');
  expect(await shown()).toMatchObject([{ role: 'fill', hash: '0xother' }]);
  expect(await scene.pot(RESERVED)).toBe(0n);
  expect(await scene.pot(INVENTORY)).toBe(1_000_000n - 99_000n);
  await scene.finalises(150);
  expect((await scene.depositRow({ fundingKey: '901:a:0' })).collectable).toBe(100_000n);
});

it('is reported as never included where it is too late, or paused until then, before it is signed again', async () => {
  runsOut(FIRST);
  await scene.tracks(scene.destination);
  scene.context.pauses.set('chain:902', null);
  await scene.settles(scene.destination);
  scene.now = body.deadlineAt - 1_000;
  await scene.settles(scene.destination);
  expect(await scene.request(body)).toMatchObject({ status: 'failure', failReason: 'TRANSACTION_NOT_INCLUDED' });
  await scene.finalises(150);
  await scene.pays(scene.origin);
  scene.origin.lands('filler:0', 151, { final: true });
  await scene.tracks(scene.origin);
  expect(await statuses()).toEqual(['pending', 'submitted', 'pending', 'failure', 'refund']);
});

it('keeps no one waiting whose message may still land', async () => {
  const other = await scene.quote(2);
  await scene.sees([scene.deposit(other, 'c', { amount: BigInt(other.amountIn) })]);
  await scene.settles(scene.destination);
  expect(scene.destination.prepared).toHaveLength(2);
  const order: string[] = [];
  scene.destination.paidBy = async () => {
    order.push('asked');
    return undefined;
  };
  const send = scene.destination.send.bind(scene.destination);
  scene.destination.send = async (transaction) => {
    order.push('sent');
    return send(transaction);
  };
  runsOut(FIRST);
  scene.destination.evidence.set(SECOND, { state: 'unspent', inPool: false });
  scene.now += 5_000;
  await scene.tracks(scene.destination);
  expect(order).toEqual(['sent', 'asked']);
});

it('is held where another account filled the order', async () => {
  isFilledBy('stranger');
  runsOut(FIRST);
  await scene.tracks(scene.destination);
  await scene.settles(scene.destination);
  expect(scene.destination.prepared).toHaveLength(1);
  expect((await fill()).state).toBe('held');
});

it('is neither signed again nor refunded where it is not known who filled the order', async () => {
  scene.destination.paidBy = async () => {
    throw new Error('no history');
  };
  runsOut(FIRST);
  await scene.tracks(scene.destination);
  await scene.settles(scene.destination);
  expect(scene.destination.prepared).toHaveLength(1);
  expect((await fill()).state).toBe('bound');
});

it('is refunded where it is too late, once the order can be filled by no one', async () => {
  scene.now = body.deadlineAt - 1_000;
  await scene.head(600);
  runsOut(FIRST);
  await scene.tracks(scene.destination);
  await scene.settles(scene.destination);
  expect(scene.destination.prepared).toHaveLength(1);
  expect((await fill()).state).toBe('bound');

  scene.destination.unfilled = true;
  await scene.tracks(scene.destination);
  expect((await fill()).state).toBe('closed');
  expect(await scene.request(body)).toMatchObject({ status: 'failure', failReason: 'TRANSACTION_NOT_INCLUDED' });
  expect((await scene.leg(legId.refund('901:a:0')))?.state).toBe('blocked');
});

it('is not signed again for a deposit that left the chain, and is for one that came back', async () => {
  const { block: _, ...gone } = scene.deposit(body, 'a');
  await scene.sees([{ ...gone, state: 'vanished', block: null }]);
  runsOut(FIRST);
  await scene.tracks(scene.destination);
  await scene.settles(scene.destination);
  expect(scene.destination.prepared).toHaveLength(1);
  expect((await fill()).state).toBe('bound');

  await scene.sees([scene.deposit(body, 'a', { block: { height: 104, id: 'a-104', timestamp: scene.now } })]);
  await scene.tracks(scene.destination);
  await scene.settles(scene.destination);
  expect(scene.destination.prepared.map(({ key }) => key)).toEqual([FIRST, SECOND]);
  scene.destination.lands(SECOND, 501, { final: true });
  await scene.tracks(scene.destination);
  expect((await scene.request(body)).status).toBe('success');
});

it('waits suspended where its deposit leaves the chain before it is signed again', async () => {
  runsOut(FIRST);
  await scene.tracks(scene.destination);
  const { block: _, ...gone } = scene.deposit(body, 'a');
  await scene.sees([{ ...gone, state: 'vanished', block: null }]);
  await scene.settles(scene.destination);
  expect(scene.destination.prepared).toHaveLength(1);
  expect((await fill()).state).toBe('suspended');
  expect(await scene.pot(RESERVED)).toBe(0n);
});

it('an inclusion that a fork took is undone first', async () => {
  scene.destination.lands(FIRST, 501);
  await scene.tracks(scene.destination);
  expect((await scene.request(body)).status).toBe('success');
  runsOut(FIRST);
  await scene.tracks(scene.destination);
  await scene.settles(scene.destination);
  // A reported success is only revoked together with a refund.
  expect(scene.destination.prepared).toHaveLength(1);
  expect((await fill()).state).toBe('bound');
  expect(await scene.pot(INVENTORY)).toBe(1_000_000n);
});
