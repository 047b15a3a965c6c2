import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CallLanes } from '../../src/capabilities/gasless/call-lanes.js';
import { acceptPermit } from '../../src/capabilities/permits/accept.js';
import { PermitBudget } from '../../src/capabilities/permits/budget.js';
import { EVERY_LEG } from '../../src/contract/legs.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { requestId } from '../../src/testing/store-fixtures.js';
import { EXECUTOR } from './support/calls.js';
import { NOW, ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

let scene: Scene;
let quote: QuoteBody;
const KEY = `${EXECUTOR}:0`;
const DAY_MS = 86_400_000;
const SECOND = 'second-executor';
const PAID_BY_EXECUTOR = { feePaidBy: { pot: 'lane', owner: EXECUTOR } } as const;

beforeEach(async () => {
  scene = await Scene.open();
  scene.origin.lanes = [
    { signer: SIGNER, sends: EVERY_LEG },
    { signer: EXECUTOR, sends: ['call'] },
  ];
  await openLane(scene.context, scene.origin, EXECUTOR);
  quote = await scene.quote(1, { permit: { kind: 'signed', terms: '{}', work: '100', deadlineAt: NOW + 60_000 } });
});

afterEach(() => scene.close());

async function accept(lanes = new CallLanes(scene.context)) {
  const row = await scene.store.quote(quote.requestId);
  if (row === undefined) throw new Error('no quote');
  return acceptPermit(scene.context, lanes, {
    quote: row,
    call: { to: 'entry', data: '0xab' },
    signature: '0x12',
  });
}

const leg = () => scene.leg(legId.permit(quote.requestId));
const request = () => scene.request(quote);
const settles = () => scene.settles(scene.origin, EXECUTOR);
const tracks = () => scene.tracks(scene.origin, EXECUTOR);

it('a deposit by permit is sent as a call, and then goes on like a deposit of its payer', async () => {
  expect(await accept()).toEqual({ ok: true });
  expect(await request()).toMatchObject({ status: 'depositing' });
  await settles();
  expect(scene.origin.prepared).toMatchObject([
    { key: KEY, legs: [{ kind: 'call', recipient: 'entry', data: '0xab', work: 100n, amount: 0n }] },
  ]);
  await scene.sees([scene.deposit(quote, 'deposit')]);
  expect(await request()).toMatchObject({ status: 'pending', fundingKey: '901:deposit:0' });
  scene.origin.lands(KEY, 101, { fee: 9n, final: true, ...PAID_BY_EXECUTOR });
  await tracks();
  expect(await leg()).toMatchObject({ state: 'done' });
  expect(await request()).toMatchObject({ status: 'pending', failReason: null });
});

describe('the refund of a deposit by permit', () => {
  const REFUND = legId.refund('901:deposit:0');
  const PERMIT_COST = 30n;

  beforeEach(async () => {
    const cost = { native: PERMIT_COST, work: 100n };
    scene.origin.capabilities = { ...scene.origin.capabilities, permits: { cost: () => cost } as never };
    await accept();
    await settles();
    await scene.sees([scene.deposit(quote, 'deposit')]);
    await scene.pays(scene.destination);
    scene.destination.lands('filler:0', 501, { ok: false, fee: 0n, final: true });
    await scene.tracks(scene.destination);
    await scene.finalises(150);
  });

  it('is less the gas that the service paid to make it', async () => {
    scene.origin.lands(KEY, 101, { fee: 9n, final: true, ...PAID_BY_EXECUTOR });
    await tracks();
    await scene.pays(scene.origin);
    // 10 for its own gas.
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'bound', amount: 100_000n - 10n - PERMIT_COST });
  });

  it('waits until it is known who made it, and is not less where a stranger did', async () => {
    await scene.pays(scene.origin);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'owed' });
    scene.origin.lands(KEY, 102, { fee: 9n, ok: false, final: true, ...PAID_BY_EXECUTOR });
    await tracks();
    scene.now += 60_000;
    await scene.pays(scene.origin);
    expect(await scene.leg(REFUND)).toMatchObject({ state: 'bound', amount: 100_000n - 10n });
  });
});

it('is accepted once, and not for an order that was paid for', async () => {
  await accept();
  expect(await accept()).toEqual({ ok: false, why: 'taken' });
  quote = await scene.quote(2, { permit: { kind: 'signed', terms: '{}', work: '100', deadlineAt: NOW + 60_000 } });
  await scene.sees([scene.deposit(quote, 'other')]);
  expect(await accept()).toEqual({ ok: false, why: 'taken' });
});

it('that reverts is a failure while no deposit was seen', async () => {
  await accept();
  await settles();
  scene.origin.lands(KEY, 101, { fee: 9n, ok: false, final: true, ...PAID_BY_EXECUTOR });
  await tracks();
  expect(await request()).toMatchObject({ status: 'failure', failReason: 'EXECUTION_REVERTED' });
  expect((await request()).details).toMatch(/^Transaction failed: /);
});

it('that failed is filled where its deposit comes all the same, as its signature can still be sent', async () => {
  await accept();
  await settles();
  scene.origin.lands(KEY, 101, { fee: 9n, ok: false, final: true, ...PAID_BY_EXECUTOR });
  await tracks();
  expect(await request()).toMatchObject({ status: 'failure', fundingKey: null });
  await scene.sees([scene.deposit(quote, 'late')]);
  expect(await request()).toMatchObject({ status: 'pending', fundingKey: '901:late:0', failReason: null });
  expect(await scene.leg(legId.fill(quote.orderId))).toMatchObject({ fundingKey: '901:late:0' });
});

it('is sent by another lane of calls than the one before', async () => {
  const lanes = new CallLanes(scene.context);
  scene.origin.lanes = [
    { signer: EXECUTOR, sends: ['call'] },
    { signer: SECOND, sends: ['call'] },
  ];
  await openLane(scene.context, scene.origin, SECOND);
  for (const n of [2, 3]) {
    quote = await scene.quote(n, { permit: { kind: 'signed', terms: '{}', work: '100', deadlineAt: NOW + 60_000 } });
    expect(await accept(lanes)).toEqual({ ok: true });
  }
  const legs = await Promise.all([EXECUTOR, SECOND].map((signer) => scene.store.waiting(ORIGIN, signer, 10)));
  expect(legs).toEqual([1, 1]);
});

it('that reverts ends nothing where a stranger sent the same deposit first', async () => {
  await accept();
  await settles();
  await scene.sees([scene.deposit(quote, 'first')]);
  scene.origin.lands(KEY, 101, { fee: 9n, ok: false, final: true, ...PAID_BY_EXECUTOR });
  await tracks();
  expect(await leg()).toMatchObject({ state: 'closed' });
  expect(await request()).toMatchObject({ status: 'pending', failReason: null });
});

it('is not sent after its deadline, nor where the order was paid for meanwhile', async () => {
  await accept();
  scene.now += 61_000;
  await settles();
  expect(scene.origin.prepared).toEqual([]);
  expect(await request()).toMatchObject({ status: 'failure', failReason: 'SIGNATURE_EXPIRED' });
  quote = await scene.quote(2, {
    permit: { kind: 'signed', terms: '{}', work: '100', deadlineAt: scene.now + 60_000 },
  });
  await accept();
  await scene.sees([scene.deposit(quote, 'own')]);
  await settles();
  expect(scene.origin.prepared).toEqual([]);
  expect(await leg()).toMatchObject({ state: 'void' });
});

describe('while deposits of its chain are not read', () => {
  const blind = [
    ['its adapter says so', () => Object.assign(scene.origin, { problem: 'log ranges are refused' })],
    ['they are behind the head', () => void scene.unread.set(ORIGIN, 'deposits are read up to block 100')],
  ] as const;

  it.each(blind)('it is not sent, and is once they are, where %s', async (_, goBlind) => {
    await accept();
    goBlind();
    await settles();
    expect([scene.origin.prepared, (await leg())?.state, (await request()).status]).toEqual([[], 'owed', 'depositing']);
    scene.origin.problem = null;
    scene.unread.clear();
    scene.now += 10_000;
    await settles();
    expect(scene.origin.prepared).toMatchObject([{ key: KEY }]);
  });

  it.each(blind)('it ends with its deadline, unsent, where %s', async (_, goBlind) => {
    await accept();
    goBlind();
    await settles();
    scene.now += 61_000;
    await settles();
    expect([scene.origin.prepared, (await leg())?.state]).toEqual([[], 'void']);
    expect(await request()).toMatchObject({ status: 'failure', failReason: 'SIGNATURE_EXPIRED', fundingKey: null });
  });
});

it('is not sent after the ttl of its quote, which would only send it back', async () => {
  const permit = { kind: 'signed', terms: '{}', work: '100', deadlineAt: NOW + 60_000 };
  quote = await scene.quote(2, { permit, ttlAt: NOW + 20_000 });
  await accept();
  scene.now += 21_000;
  await settles();
  expect(scene.origin.prepared).toEqual([]);
  expect(await request()).toMatchObject({ status: 'failure', failReason: 'SIGNATURE_EXPIRED' });
});

it('fails no more than three times a day for one payer', async () => {
  const statuses = new Map<string, string>();
  let now = NOW;
  const rows = async (ids: readonly string[]) =>
    ids.flatMap((id) => (statuses.has(id) ? [{ id, status: statuses.get(id), fundingKey: null }] : []));
  const budget = new PermitBudget({ store: { requests: rows as never }, clock: { now: () => now } });
  const take = (n: number, payer = 'payer') =>
    budget.take({ requestId: requestId(n), chainId: 1, payer, party: 'ip:1' });
  for (const n of [1, 2, 3]) {
    expect(await take(n)).toBeUndefined();
    expect(await take(n + 100)).toMatch(/under way/);
    statuses.set(requestId(n), 'failure');
  }
  expect(await take(4)).toMatch(/3 deposits of payer failed/);
  expect(await take(5, 'another')).toBeUndefined();
  statuses.set(requestId(5), 'success');
  now += DAY_MS + 1;
  expect(await take(6)).toBeUndefined();
  expect(await take(7, 'another')).toBeUndefined();
});

it('a stranger that names a payer, without its signature, takes nothing of what the payer may do', async () => {
  const budget = new PermitBudget({ store: { requests: async () => [] }, clock: { now: () => NOW } });
  const entry = (n: number, party: string) => ({ requestId: requestId(n), chainId: 1, payer: 'payer', party });
  const [stranger, own, elsewhere] = [entry(1, 'ip:1'), entry(2, 'ip:2'), entry(3, 'ip:3')];
  expect(await budget.take(stranger)).toBeUndefined();
  expect(await budget.take(entry(4, 'ip:1'))).toMatch(/under way/);
  expect(await Promise.all([budget.take(own), budget.take(elsewhere)])).toEqual([undefined, undefined]);
  expect([budget.sign(own), budget.sign(elsewhere)]).toEqual([undefined, expect.stringMatching(/under way/)]);
  expect(await budget.take(entry(5, 'ip:5'))).toMatch(/under way/);
});

it('networks that lie in one wider network have no more than its share', async () => {
  const budget = new PermitBudget({ store: { requests: async () => [] }, clock: { now: () => NOW } });
  const crowds = [{ party: 'ip:48', times: 2 }];
  const take = (n: number) =>
    budget.take({ requestId: requestId(n), chainId: 1, payer: `payer ${n}`, party: `ip:${n}`, crowds });
  for (let n = 0; n < 100; n += 1) expect(await take(n)).toBeUndefined();
  expect(await take(100)).toMatch(/100 deposits of your network or key are under way/);
  budget.drop({ requestId: requestId(0) });
  expect(await take(100)).toBeUndefined();
});
