import type { FillLeg, KeyView } from '@causeway/core';
import type { HttpClient } from '@causeway/core/rpc';
import { expect, it } from 'vitest';
import { type LookDeps, lookAtKeys } from '../src/look.js';
import { paidBy, type SentDeps, unfilledForGood } from '../src/sent.js';
import { SentBook } from '../src/sent-book.js';
import { answer, asked, type FakeNode, only, slotAt, timeAt } from './support/fake-ledger.js';
import { services } from './support/services.js';

// Nodes behind a load balancer, on a chain with empty slots, which the local node lacks.

const HASH = '5'.repeat(87);
const LAST = 100_000;
const ORDER = `0x${'aa'.repeat(32)}` as const;
const key = (last = LAST): KeyView => ({
  key: `${last}:${'ab'.repeat(32)}`,
  signer: 's',
  attempts: [{ hash: HASH, legs: [] }],
});
const fill: FillLeg = {
  ...{ kind: 'fill', legId: 'fill', orderId: ORDER, deadline: 0, currency: 'c', amount: 1n, recipient: 'r' },
};

const landedIn = (slot: number) => new Map([[HASH, { slot, memo: `[66] ${ORDER}` }]]);

type Ask = (method: string, params: readonly unknown[]) => unknown;
const of =
  (node: FakeNode): Ask =>
  (method, params) =>
    answer(node, method, params);

function look(rpc: HttpClient, keys: readonly KeyView[], floor = 0) {
  const included = { get: async () => Promise.reject(new Error('it landed')) };
  const deps = { solver: { fill: 'f', vault: 'v' }, providers: only(rpc), feed: { floor: () => floor }, included };
  return lookAtKeys(deps as LookDeps, keys);
}

const sentDeps = (rpc: HttpClient, floor: number) =>
  ({
    solver: { fill: 'f', vault: 'v' },
    providers: only(rpc),
    book: new SentBook('f', services().clock),
    floor: () => floor,
  }) as unknown as SentDeps;

const HEAD = slotAt(LAST + 1) + 32;

it('a message that never landed is dead once that is final, and no sooner', async () => {
  const { rpc } = asked(of({ head: HEAD }));
  expect(await look(rpc, [key()], HEAD)).toEqual([{ state: 'spentByOther', final: true }]);
  const sooner = asked(of({ head: HEAD - 1 }));
  expect(await look(sooner.rpc, [key()], HEAD - 1)).toEqual([{ state: 'unspent', inPool: false }]);
});

it('a message that landed is not dead, whichever of two nodes behind one name answers what', async () => {
  const landed = landedIn(slotAt(LAST));
  const [fresh, late] = [of({ head: HEAD, landed }), of({ head: HEAD - 40, landed })];
  const methods = [
    'getSlot',
    'getBlockHeight',
    'getSignatureStatuses',
    'getBlocks',
    'getBlock',
    'getFirstAvailableBlock',
  ];
  for (let lots = 0; lots < 2 ** methods.length; lots += 1) {
    const isLate = (method: string) => ((lots >> methods.indexOf(method)) & 1) === 1;
    const { rpc } = asked((method, params) => (isLate(method) ? late : fresh)(method, params));
    const [evidence] = await look(rpc, [key()]);
    expect(evidence?.state, methods.filter(isLate).join()).not.toBe('spentByOther');
  }
});

it('nor where the slot of what is final comes from the late one alone', async () => {
  const landed = landedIn(slotAt(LAST));
  const [fresh, late] = [of({ head: HEAD, landed }), of({ head: HEAD - 40, landed })];
  const isLate: Ask = (method, params) =>
    method === 'getSignatureStatuses' ||
    (method === 'getSlot' && (params[0] as { readonly commitment: string }).commitment === 'finalized');
  const { rpc } = asked((method, params) => (isLate(method, params) ? late : fresh)(method, params));
  expect(await look(rpc, [key()], HEAD)).toMatchObject([{ state: 'unknown' }]);
  expect(await look(rpc, [key()])).toMatchObject([{ state: 'unknown' }]);
});

it('what is older than the newest head of anyone proves nothing', async () => {
  const { rpc } = asked((method, params) => {
    const { commitment } = (params[0] ?? {}) as { readonly commitment?: string };
    return method === 'getSlot' && commitment === 'confirmed' ? HEAD + 20 : answer({ head: HEAD }, method, params);
  });
  expect(await look(rpc, [key()], HEAD + 20)).toMatchObject([{ state: 'unknown', why: /before/ }]);
});

it('a node that was started again from a snapshot over its old ledger proves no message dead, and no one unpaid', async () => {
  const landed = landedIn(slotAt(LAST - 100));
  const hole = { from: slotAt(LAST - 149), to: slotAt(LAST + 400) };
  const lacks = (slot: number): boolean => slot >= hole.from && slot <= hole.to;
  const head = slotAt(LAST + 5_000);
  const { rpc } = asked(of({ head, oldest: 40, lacks, landed }));
  expect(await look(rpc, [key(), key(LAST - 300), key(LAST + 700)], head)).toMatchObject([
    { state: 'unknown', why: /missing/ },
    { state: 'spentByOther' },
    { state: 'spentByOther' },
  ]);
  const deps = sentDeps(rpc, head);
  const since = timeAt(hole.from - 3_000) * 1_000;
  await expect(paidBy(deps, fill, since)).rejects.toThrow(/missing/);
  await expect(unfilledForGood(deps, ORDER, timeAt(hole.to), since)).rejects.toThrow(/missing/);
  const young = { ...fill, orderId: `0x${'bb'.repeat(32)}` as const };
  const later = timeAt(hole.to + 2_000) * 1_000;
  expect(await paidBy(deps, young, later)).toBeUndefined();
  expect(await unfilledForGood(deps, young.orderId, timeAt(hole.to + 1_000), later)).toBe(true);
});

it('many messages that ran out together cost a few calls in all', async () => {
  const head = slotAt(LAST + 1_000);
  const { rpc, calls } = asked(of({ head }));
  const keys = Array.from({ length: 200 }, (_, n) => key(LAST + n));
  const evidence = await look(rpc, keys, head);
  expect(new Set(evidence.map(({ state }) => state))).toEqual(new Set(['spentByOther']));
  expect(calls.length).toBeLessThan(40);
  const before = calls.length;
  await look(rpc, keys, head);
  expect(calls.slice(before).map(({ method }) => method)).toEqual([
    ...['getSlot', 'getSignatureStatuses', 'getBlockHeight'],
    ...['getBlockHeight', 'getSlot', 'getBlock'],
    ...['getFirstAvailableBlock', 'getSignatureStatuses', 'getFirstAvailableBlock'],
  ]);
});

it('a message that may still land, and one that landed, cost what they cost before anything had to be proven', async () => {
  const waiting = asked(of({ head: HEAD - 1 }));
  await look(waiting.rpc, [key()]);
  expect(waiting.calls.map(({ method }) => method)).toEqual(['getSlot', 'getSignatureStatuses', 'getBlockHeight']);
  const there = asked(of({ head: HEAD, landed: landedIn(slotAt(LAST)) }));
  await look(there.rpc, [key()]);
  expect(there.calls.map(({ method }) => method)).toEqual(['getSlot', 'getSignatureStatuses']);
});
