import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Reader, readFacts } from '../../src/api/timeline/facts.js';
import { timeline } from '../../src/api/timeline/timeline.js';
import type { RequestId } from '../../src/contract/index.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { waitsFor } from '../../src/engine/operator/waits-for.js';
import { Scene } from './support/scene.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});
afterEach(async () => {
  await scene.close();
});

const KEY = 'filler:0';

async function timelineOf(id: RequestId, reader: Reader = 'operator') {
  const facts = await readFacts(scene.store, id, reader);
  if (facts === undefined) throw new Error('nothing is known of it');
  const headOf = (chainId: number) => scene.context.times.get(chainId)?.height ?? null;
  return timeline({ ...facts, chains: scene.context.chains, headOf }, reader, await waitsFor(scene.context, id));
}

type Timeline = Awaited<ReturnType<typeof timelineOf>>;

const kinds = ({ entries }: Timeline) => entries.map(({ kind }) => kind).filter((kind) => kind !== 'status');
const statuses = ({ entries }: Timeline) =>
  entries.flatMap(({ change }) =>
    change ? [change.failReason ? `${change.status} ${change.failReason}` : change.status] : [],
  );

/** Every row of the ledger is in the timeline with its own numbers, and nothing else is. */
async function matchesTheLedger(found: Timeline): Promise<void> {
  const id = found.requestId as RequestId;
  const view = await scene.store.shown(id);
  if (view === undefined) throw new Error('there is no such request');
  const { entries } = found;
  expect(found.status).toBe(view.request.status);
  expect(
    entries.flatMap(({ deposit }) => (deposit ? [[deposit.fundingKey, deposit.arrived.amount, deposit.state]] : [])),
  ).toEqual(view.deposits.map(({ fundingKey, amount, state }) => [fundingKey, amount.toString(), state]));
  expect(
    entries
      .flatMap(({ kind, payment }) =>
        kind === 'owed' && payment ? [[payment.id, payment.pays.amount, payment.state]] : [],
      )
      .sort(),
  ).toEqual(view.legs.map((leg) => [leg.id, leg.amount.toString(), leg.state]).sort());
  const keys = await scene.store.keysOfLegs(view.legs.map((leg) => leg.id));
  expect(
    entries.flatMap(({ attempt }) => (attempt ? [[attempt.txHash, attempt.key, attempt.state, attempt.fee]] : [])),
  ).toEqual(
    keys.flatMap(({ key, attempts }) =>
      attempts.map(({ hash, state }) => {
        const fee = key.includedHash === hash ? (JSON.parse(key.inclusion ?? '{}') as { fee?: string }).fee : null;
        return [hash, key.key, state, fee];
      }),
    ),
  );
  const events = await scene.store.eventsOf(id, 0);
  expect(entries.flatMap(({ change }) => (change ? [change.sequence] : []))).toEqual(
    events.map(({ sequence }) => sequence),
  );
  const holds = (await scene.store.holds('open')).filter(({ requestId }) => requestId === id);
  expect(
    entries.flatMap(({ hold }) => (hold?.state === 'open' ? [[hold.id, hold.held.amount, hold.reason]] : [])),
  ).toEqual(holds.map((hold) => [hold.id, hold.amount.toString(), hold.reason]));
  const times = entries.filter(({ kind }) => kind !== 'quoted').map(({ at }) => at);
  expect(times).toEqual([...times].sort((a, b) => a - b));
}

async function paidIn(change: Partial<QuoteBody> = {}): Promise<QuoteBody> {
  const body = await scene.quote(1, change);
  await scene.sees([scene.deposit(body, 'a')]);
  return body;
}

describe('the timeline of a request', () => {
  it('begins with the quote, before anything is paid', async () => {
    const body = await scene.quote(1);
    const found = await timelineOf(body.requestId);
    expect(found).toMatchObject({ status: 'waiting', truncated: false });
    expect(kinds(found)).toEqual(['quoted']);
    expect(found.entries[0]?.quoted).toMatchObject({
      pays: { amount: body.amountIn },
      gets: { amount: body.amountOut },
      least: body.minimumAmount,
      prices: { origin: body.terms.inUsd, destination: body.terms.outUsd },
    });
  });

  it('says what a deposit waits for', async () => {
    scene.origin.depth = 3;
    const body = await paidIn();
    const found = await timelineOf(body.requestId);
    expect(kinds(found)).toEqual(['quoted', 'depositSeen']);
    expect(found.entries.find(({ deposit }) => deposit)?.deposit).toMatchObject({
      ...{ state: 'included', confirmations: 0, neededConfirmations: 3 },
    });
    expect(found.waitsFor).toBe('its deposit waits for 3 blocks on top of it');
    expect(await timelineOf(body.requestId, 'anyone')).not.toHaveProperty('waitsFor');
    await matchesTheLedger(found);
  });

  it('goes on to success: decided, owed, signed, included', async () => {
    const body = await paidIn();
    await scene.pays(scene.destination);
    await matchesTheLedger(await timelineOf(body.requestId));
    scene.destination.lands(KEY, 501, { final: true });
    await scene.tracks(scene.destination);
    await scene.finalises(200);
    const found = await timelineOf(body.requestId);
    await matchesTheLedger(found);
    expect(kinds(found)).toEqual(['quoted', 'depositSeen', 'decided', 'owed', 'signed', 'included']);
    expect(statuses(found)).toEqual(['pending', 'submitted', 'success']);
    expect(found.entries.find(({ attempt }) => attempt)?.attempt).toMatchObject({ key: KEY, block: 501, fee: '7' });
    expect(found).not.toHaveProperty('waitsFor');
  });

  it('goes on to a refund, with its reason', async () => {
    const body = await paidIn({ forceRefund: true });
    await scene.finalises(150);
    await scene.pays(scene.origin);
    scene.origin.lands(KEY, 160, { final: true });
    await scene.tracks(scene.origin);
    const found = await timelineOf(body.requestId);
    await matchesTheLedger(found);
    expect(statuses(found).at(-1)).toBe('refund UNKNOWN');
    expect(found.entries.find(({ decision }) => decision)?.decision).toMatchObject({
      ...{ decision: 'refund', reason: 'UNKNOWN' },
    });
    expect(found.entries.find(({ kind }) => kind === 'included')?.payment).toMatchObject({ for: 'refund' });
  });

  it('goes on to a hold', async () => {
    scene.origin.paidByOne = false;
    await scene.sees([scene.deposit(null, 'a')]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    const [hold] = await scene.store.holds('open');
    if (hold === undefined) throw new Error('nothing is held');
    const found = await timelineOf(hold.requestId);
    await matchesTheLedger(found);
    expect(found.entries.find(({ kind }) => kind === 'held')?.hold).toMatchObject({
      ...{ id: hold.id, reason: 'MANUAL_REFUND_REQUIRED', state: 'open' },
    });
  });

  it('shows a reorganised deposit and of its return', async () => {
    const body = await paidIn();
    await scene.pays(scene.destination);
    await scene.sees([], { rewoundTo: 100 });
    const gone = await timelineOf(body.requestId);
    await matchesTheLedger(gone);
    expect(statuses(gone)).toEqual(['pending', 'submitted', 'failure DEPOSIT_REORGED']);
    expect(gone.entries.find(({ deposit }) => deposit)?.text).toContain('is gone from its chain');
    await scene.sees([scene.deposit(body, 'a', { block: { height: 105, id: 'b-105', timestamp: scene.now } })]);
    const back = await timelineOf(body.requestId);
    await matchesTheLedger(back);
    expect(statuses(back).slice(0, 3)).toEqual(statuses(gone));
    expect(statuses(back).at(-1)).toBe('submitted');
  });

  it('forgets no transaction whose key was closed', async () => {
    const body = await paidIn();
    await scene.pays(scene.destination);
    scene.destination.evidence.set(KEY, { state: 'spentByOther', final: true });
    await scene.tracks(scene.destination);
    const [closed] = await scene.store.keysOfLegs([`fill:${body.orderId}`]);
    expect(closed?.key.state).toBe('closed');
    const found = await timelineOf(body.requestId);
    await matchesTheLedger(found);
    expect(found.entries.flatMap(({ attempt }) => (attempt ? [attempt.payments] : []))).toEqual([
      [`fill:${body.orderId}`],
    ]);
  });
});
