import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { Scene } from './support/scene.js';

let scene: Scene;
let body: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
});

afterEach(async () => {
  await scene.close();
});

const KEY = 'filler:0';
const REFUND = legId.refund('901:a:0');

async function funded(): Promise<void> {
  await scene.sees([scene.deposit(body, 'a')]);
}

async function status(of: { readonly requestId: `0x${string}` } = body): Promise<string> {
  const request = await scene.request(of);
  return `${request.status} ${request.failReason} ${request.refundFailReason}`;
}

/** A transfer that cannot fund the order has a child request. */
async function childStatus(): Promise<string> {
  return status({ requestId: (await scene.depositRow({ fundingKey: '901:a:0' })).requestId });
}

async function events(): Promise<string[]> {
  const rows = await scene.store.events(0, 100);
  return rows.map(({ payload }) => (JSON.parse(payload) as { data: { status: string } }).data.status);
}

/** One refund, net of gas, ends the request. */
async function refundsWith(reason: string, amount = 99_990n): Promise<void> {
  expect((await scene.leg(REFUND))?.state).toBe('blocked');
  await scene.pays(scene.origin);
  expect(scene.origin.prepared).toEqual([]);
  await scene.finalises(150);
  await scene.pays(scene.origin);
  expect(scene.origin.prepared.at(-1)?.legs[0]).toMatchObject({
    kind: 'refund',
    recipient: 'refund-recipient',
    amount,
  });
  scene.origin.lands(KEY, 151, { final: true });
  await scene.tracks(scene.origin);
  await scene.pays(scene.origin);
  expect(await status()).toBe(`refund ${reason} null`);
  expect(scene.origin.prepared).toHaveLength(1);
  await scene.idle();
  expect(await scene.pot('owed:901:coin-901')).toBe(0n);
  const deposit = await scene.depositRow({ fundingKey: '901:a:0' });
  expect(deposit.collectable).toBe(100_000n - amount);
}

describe('a fill that reverts', () => {
  it('is reported with its transaction and refunded', async () => {
    await funded();
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501, { ok: false });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('submitted null null');
    expect(await scene.leg(REFUND)).toBeUndefined();

    scene.destination.lands(KEY, 501, { ok: false, final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('pending EXECUTION_REVERTED null');
    expect(JSON.parse((await scene.request(body)).failed ?? '{}')).toMatchObject({
      txHash: scene.destination.sent[0],
      block: 501,
      call: { to: 'router' },
    });
    // Net of the failed fill's fee as well.
    await refundsWith('EXECUTION_REVERTED', 99_983n);
    expect(await events()).toEqual(['pending', 'submitted', 'pending', 'refund']);
  });

  it('is reported as reverted where the chain names no cause', async () => {
    await funded();
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501, { ok: false, final: true });
    const evidence = scene.destination.evidence.get(KEY);
    if (evidence?.state !== 'spent') throw new Error('it landed');
    const { failure: _, ...unexplained } = evidence;
    scene.destination.evidence.set(KEY, unexplained);
    await scene.tracks(scene.destination);
    await refundsWith('TRANSACTION_REVERTED', 99_983n);
  });

  it('and is dropped and lands well after all is a plain success', async () => {
    await funded();
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501, { ok: false });
    await scene.tracks(scene.destination);
    scene.destination.evidence.set(KEY, { state: 'unspent', inPool: true });
    await scene.tracks(scene.destination);
    scene.destination.lands(KEY, 502, { final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success null null');
    expect(await scene.request(body)).toMatchObject({ failed: null, details: null });
  });
});

describe('a provider that first reports the same inclusion as reverted', () => {
  it('is believed when it thinks better of it: the order is filled, and booked once', async () => {
    await funded();
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501, { ok: false });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('submitted null null');
    scene.destination.lands(KEY, 501);
    await scene.tracks(scene.destination);
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success null null');
    scene.destination.lands(KEY, 501, { final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success null null');
    expect(await scene.leg(REFUND)).toBeUndefined();
    expect(await scene.pot('inventory:902:filler:coin-902')).toBe(1_000_000n - 99_000n - 7n);
  });
});

describe('a fill that the chain refuses before anything is signed', () => {
  it('is refunded with the reason of the refusal', async () => {
    await funded();
    scene.destination.checkAnswer = () => ({
      ok: false,
      kind: 'refused',
      reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED',
      message: 'blocked',
    });
    await scene.settles(scene.destination);
    expect(await status()).toBe('pending DESTINATION_TOKEN_TRANSFER_REJECTED null');
    expect(scene.destination.prepared).toEqual([]);
    await refundsWith('DESTINATION_TOKEN_TRANSFER_REJECTED');
  });

  it('waits while nothing was learnt, and is abandoned near its deadline', async () => {
    await funded();
    scene.destination.checkAnswer = () => ({ ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: 'later' });
    for (let n = 0; n < 3; n += 1) {
      await scene.settles(scene.destination);
      scene.now += 2_000;
    }
    expect(await status()).toBe('pending null null');
    scene.now = body.deadlineAt - 3_000;
    await scene.settles(scene.destination);
    expect(await status()).toBe('pending null null');
    scene.now = body.deadlineAt - 1_999;
    await scene.settles(scene.destination);
    expect(await status()).toBe('pending PROTOCOL_DEADLINE_EXPIRED null');
    await refundsWith('PROTOCOL_DEADLINE_EXPIRED');
  });
});

describe('a fill that is never included', () => {
  async function closes(): Promise<void> {
    scene.now += 20_001;
    await scene.tracks(scene.destination);
    expect(scene.destination.prepared.at(-1)).toEqual({ key: KEY, legs: [] });
    expect(await scene.leg(REFUND)).toBeUndefined();
    scene.destination.lands(KEY, 520);
    await scene.tracks(scene.destination);
    expect(await scene.leg(REFUND)).toBeUndefined();
    scene.destination.lands(KEY, 520, { final: true });
    await scene.tracks(scene.destination);
  }

  it('is closed by a no-op, fails with TRANSACTION_NOT_INCLUDED, and is refunded', async () => {
    await funded();
    await scene.settles(scene.destination);
    await closes();
    expect(await status()).toBe('failure TRANSACTION_NOT_INCLUDED null');
    await refundsWith('TRANSACTION_NOT_INCLUDED');
    expect(await events()).toEqual(['pending', 'submitted', 'failure', 'refund']);
    const [view] = await scene.store.views([body.requestId]);
    expect(view?.transactions.map(({ role, status: state }) => [role, state])).toEqual([
      ['deposit', 'success'],
      ['failed', 'failure'],
      ['refund', 'success'],
    ]);
  });

  it('and was never taken fails with TRANSACTION_SUBMISSION_FAILED', async () => {
    scene.destination.sendAnswer = { outcome: 'rejected', meaning: 'invalid', message: 'no' };
    await funded();
    await scene.settles(scene.destination);
    expect(await status()).toBe('pending null null');
    await closes();
    expect(await status()).toBe('failure TRANSACTION_SUBMISSION_FAILED null');
    await refundsWith('TRANSACTION_SUBMISSION_FAILED');
  });

  it('and is kept out of the pools by a third party is cancelled at once, at the cost of its deposit', async () => {
    scene.destination.sendAnswer = { outcome: 'rejected', meaning: 'barred', message: 'authority already reserved' };
    await funded();
    await scene.settles(scene.destination);
    expect(await status()).toBe('pending null null');
    scene.destination.sendAnswer = { outcome: 'accepted' };
    await scene.tracks(scene.destination);
    expect(scene.destination.prepared.at(-1)).toEqual({ key: KEY, legs: [] });
    expect(await scene.leg(REFUND)).toBeUndefined();
    scene.destination.lands(KEY, 501, { final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('failure TRANSACTION_SUBMISSION_FAILED null');
    await refundsWith('TRANSACTION_SUBMISSION_FAILED', 99_983n);
  });

  it('and is taken after all, once a pool had barred it, is a success', async () => {
    scene.destination.sendAnswer = { outcome: 'rejected', meaning: 'barred', message: 'authority already reserved' };
    await funded();
    await scene.settles(scene.destination);
    const first = scene.destination.hashUnder(KEY);
    scene.destination.sendAnswer = { outcome: 'accepted' };
    await scene.tracks(scene.destination);
    const leg = await scene.leg(legId.fill(body.orderId));
    scene.destination.evidence.set(KEY, {
      ...{ state: 'spent', hash: first, ok: true, final: true, fee: 7n },
      block: { height: 501, id: 'x', timestamp: scene.now },
      feePaidBy: { pot: 'lane', owner: 'filler' },
      effects: [{ legId: leg?.id ?? '', done: true, moved: 99_000n }],
    });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success null null');
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ state: 'done', spent: 0n });
  });

  it('is bumped once where it carries authorizations, and then cancelled', async () => {
    body = await scene.quote(2, { authorizations: ['0x0a'] });
    await funded();
    await scene.settles(scene.destination);
    const blocks = scene.context.policy.bumpAfterBlocks;
    for (const n of [1, 2]) {
      await scene.head(500 + n * blocks);
      await scene.tracks(scene.destination);
    }
    expect(scene.destination.prepared.map(({ legs }) => legs.length)).toEqual([1, 1, 0]);
    scene.destination.lands(KEY, 510, { final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('failure TRANSACTION_NOT_INCLUDED null');
    await refundsWith('TRANSACTION_NOT_INCLUDED');
  });

  it('is sent again where no pool has it and no more may be paid for it', async () => {
    await funded();
    await scene.settles(scene.destination);
    const first = scene.destination.hashUnder(KEY);
    scene.destination.prepareFails = { ok: false, why: 'feeCap', message: 'fees above the cap' };
    scene.destination.sent.length = 0;
    scene.now += 20_001;
    await scene.tracks(scene.destination);
    expect(scene.destination.sent).toEqual([]);
    scene.destination.evidence.set(KEY, { state: 'unspent', inPool: false });
    for (let n = 0; n < 5; n += 1) await scene.tracks(scene.destination);
    expect(scene.destination.sent).toEqual([first]);
    scene.now += 1_000;
    await scene.tracks(scene.destination);
    expect(scene.destination.sent).toEqual([first, first]);
  });

  it('is neither sent again nor bumped while the chain refuses it', async () => {
    await funded();
    await scene.settles(scene.destination);
    scene.destination.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'UNKNOWN', message: 'paused' });
    scene.destination.evidence.set(KEY, { state: 'unspent', inPool: false });
    scene.destination.sent.length = 0;
    scene.destination.prepared.length = 0;
    await scene.head(500 + scene.context.policy.bumpAfterBlocks);
    await scene.tracks(scene.destination);
    expect([...scene.destination.sent, ...scene.destination.prepared]).toEqual([]);
    scene.destination.checkAnswer = () => ({ ok: true, plan: '{}' });
    await scene.head(500 + 2 * scene.context.policy.bumpAfterBlocks);
    await scene.tracks(scene.destination);
    expect(scene.destination.prepared.map(({ key }) => key)).toEqual([KEY]);
  });

  it('and lands although it was to be closed is a success', async () => {
    await funded();
    await scene.settles(scene.destination);
    const first = scene.destination.hashUnder(KEY);
    scene.now += 20_001;
    await scene.tracks(scene.destination);
    const leg = await scene.leg(legId.fill(body.orderId));
    scene.destination.evidence.set(KEY, {
      state: 'spent',
      hash: first,
      ok: true,
      block: { height: 520, id: 'x', timestamp: scene.now },
      final: true,
      fee: 1n,
      feePaidBy: { pot: 'lane', owner: 'filler' },
      effects: [{ legId: leg?.id ?? '', done: true, moved: 99_000n }],
    });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success null null');
    expect(await scene.leg(REFUND)).toBeUndefined();
  });
});

describe('a fill that was a success and is closed without effect', () => {
  it('fails and is refunded', async () => {
    await funded();
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501);
    await scene.tracks(scene.destination);
    expect(await status()).toBe('success null null');
    expect((await scene.request(body)).fillTimeMs).toBe(0);
    scene.destination.evidence.set(KEY, { state: 'unspent', inPool: false });
    await scene.tracks(scene.destination);
    scene.now += 20_001;
    await scene.tracks(scene.destination);
    scene.destination.lands(KEY, 520, { final: true });
    await scene.tracks(scene.destination);
    expect(await status()).toBe('failure TRANSACTION_NOT_INCLUDED null');
    expect((await scene.request(body)).fillTimeMs).toBeNull();
    await refundsWith('TRANSACTION_NOT_INCLUDED');
  });
});

describe('a refund', () => {
  it('that its gas would eat up is held under a name', async () => {
    scene.origin.gasCost = 50_000n;
    await scene.sees([scene.deposit(body, 'a', { amount: 50_000n })]);
    await scene.finalises(150);
    await scene.settles(scene.origin);
    expect(await childStatus()).toBe('failure DEPOSITED_AMOUNT_TOO_LOW_TO_FILL AMOUNT_TOO_LOW_TO_REFUND');
    expect(await scene.store.holds('open')).toMatchObject([
      { amount: 50_000n, reason: 'AMOUNT_TOO_LOW_TO_REFUND', currency: 'coin-901' },
    ]);
    expect(await scene.pot('held:901:coin-901')).toBe(-50_000n);
    expect((await scene.depositRow({ fundingKey: '901:a:0' })).collectable).toBe(0n);
    expect(scene.origin.prepared).toEqual([]);
  });

  it('that the chain refuses is held for an operator', async () => {
    scene.origin.checkAnswer = () => ({ ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED', message: 'no' });
    await scene.sees([scene.deposit(body, 'a', { amount: 50_000n })]);
    await scene.finalises(150);
    await scene.settles(scene.origin);
    expect(await childStatus()).toBe('failure DEPOSITED_AMOUNT_TOO_LOW_TO_FILL MANUAL_REFUND_REQUIRED');
  });

  it('that reverts is tried under a new key, three times, then held', async () => {
    await scene.sees([scene.deposit(body, 'a', { amount: 50_000n })]);
    await scene.finalises(150);
    for (let n = 0; n < 3; n += 1) {
      await scene.settles(scene.origin);
      scene.origin.lands(`filler:${n}`, 160 + n, { ok: false, final: true });
      await scene.tracks(scene.origin);
      scene.now += 6_000;
    }
    await scene.settles(scene.origin);
    expect(scene.origin.prepared.map(({ key }) => key)).toEqual(['filler:0', 'filler:1', 'filler:2']);
    expect(await childStatus()).toBe('failure DEPOSITED_AMOUNT_TOO_LOW_TO_FILL MANUAL_REFUND_REQUIRED');
  });

  it('goes in addition to an excess that is refunded on its own', async () => {
    await scene.sees([scene.deposit(body, 'a', { amount: 130_000n })]);
    await scene.settles(scene.destination);
    scene.destination.lands(KEY, 501, { ok: false, final: true });
    await scene.tracks(scene.destination);
    await scene.finalises(150);
    await scene.settles(scene.origin);
    const legs = scene.origin.prepared.flatMap((one) => one.legs);
    expect(legs.map(({ kind, amount }) => [kind, amount]).sort()).toEqual([
      ['excess', 29_990n],
      ['refund', 99_983n],
    ]);
  });
});
