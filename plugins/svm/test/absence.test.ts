import type { LegInstruction } from '@causeway/core';
import { type JsonRpcCall, type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { readKey } from '../src/keys.js';
import { LAG_BLOCKS, readPosition, VALID_BLOCKS } from '../src/position.js';
import type { SvmAdapter } from '../src/svm-adapter.js';
import { fundedSolver, type TestSolver } from './support/adapter.js';
import { type Hole, holed, lagging, listedUpTo } from './support/faulty-nodes.js';
import { type Attempt, eventually, fillLeg, lookAt, signed } from './support/legs.js';
import { type LocalNode, startNode } from './support/node.js';

// What a node lacks may exist: where a payment depends on absence, the node must prove that it has all blocks.

let node: LocalNode;
let solver: TestSolver;
let proxy: JsonRpcFaultProxy;
let adapter: SvmAdapter;

beforeAll(async () => {
  node = await startNode();
  solver = await fundedSolver(node, []);
  proxy = await jsonRpcFaultProxy(node.url);
  adapter = await behindProxy();
});
afterEach(() => proxy.heal());
afterAll(async () => {
  await adapter?.stop();
  await proxy?.close();
  await node?.stop();
});

/** A new process without caches. */
const behindProxy = () => solver.start({ rpc: [{ http: proxy.url }], watch: { pollMs: 50 } });
const slotNow = (commitment: 'confirmed' | 'finalized') => node.connection.getSlot(commitment);
const heightNow = (commitment: 'confirmed' | 'finalized') => node.connection.getBlockHeight(commitment);
const lastOf = ({ prepared }: Attempt) => readKey(prepared.key).lastValidHeight;

async function past(commitment: 'confirmed' | 'finalized', height: number): Promise<void> {
  await node.clock.advance(Math.max(0, height - (await heightNow(commitment))));
  await node.clock.until(async () => (await heightNow(commitment)) > height);
}

interface Landed {
  readonly attempt: Attempt;
  readonly slot: number;
}

async function land(attempt: Attempt): Promise<Landed> {
  expect(await adapter.send(attempt.transaction)).toEqual({ outcome: 'accepted' });
  await node.clock.advance(1);
  const evidence = await eventually(
    () => lookAt(adapter, attempt),
    ({ state }) => state === 'spent',
  );
  if (evidence.state !== 'spent') throw new Error('not spent');
  return { attempt, slot: evidence.block.height };
}

function listed(since: number): number {
  return proxy.calls
    .slice(since)
    .filter(({ method }) => method === 'getBlocks')
    .reduce((sum, { params }) => sum + Number(params[1]) - Number(params[0]) + 1, 0);
}

describe('a node with a hole in its history', () => {
  let landed: Landed;
  let lost: Attempt;
  let position: string;
  let deadline: number;
  let began: number;

  beforeAll(async () => {
    began = await node.time();
    deadline = began / 1_000;
    position = await adapter.keys.lanePosition('');
    landed = await land(await signed(adapter, fillLeg(NATIVE, 5_000_000n)));
    // A hole after the life of the first.
    await past('confirmed', lastOf(landed.attempt) + 40);
    lost = await signed(adapter, fillLeg(NATIVE, 5_000_001n));
    await past('finalized', lastOf(lost) + 80);
  }, 60_000);

  const around = (slot: number): Hole => ({ from: slot - 5, to: slot + 5 });
  const leg = (): LegInstruction => landed.attempt.leg;
  const orderOf = (one: LegInstruction) => (one.kind === 'fill' ? one.orderId : '0x');

  it('proves of no message that it never landed, if it could have been in the hole', async () => {
    proxy.plan = holed(around(landed.slot));
    expect(await lookAt(adapter, landed.attempt)).toMatchObject({ state: 'unknown', why: /missing/ });
    proxy.heal();
    expect(await lookAt(adapter, landed.attempt)).toMatchObject({ state: 'spent', ok: true });
  });

  it('proves it of one that lived before or after', async () => {
    proxy.plan = holed(around(landed.slot));
    expect(await lookAt(adapter, lost)).toEqual({ state: 'spentByOther', final: true });
    const another = await behindProxy();
    const head = await slotNow('finalized');
    proxy.plan = holed({ from: head - 15, to: head - 5 });
    expect(await lookAt(another, lost)).toEqual({ state: 'spentByOther', final: true });
    await another.stop();
  });

  it('has no answer to who paid, to what was sent, and to what can never be filled', async () => {
    const final = await slotNow('finalized');
    for (const hole of [around(landed.slot), { from: landed.slot - 5, to: final - 10 }]) {
      proxy.plan = holed(hole);
      await expect(adapter.paidBy(leg(), began)).rejects.toThrow(/missing/);
      await expect(adapter.keys.sentSince('', position, position)).rejects.toThrow(/missing/);
    }
    proxy.plan = holed(around(landed.slot));
    await expect(adapter.unfilledForGood(orderOf(leg()), deadline, began)).rejects.toThrow(/missing/);
    proxy.heal();
    expect(await adapter.paidBy(leg(), began)).toMatchObject({ hash: landed.attempt.transaction.hash });
    expect((await adapter.keys.sentSince('', position, position)).sent).toHaveLength(1);
    expect(await adapter.unfilledForGood(orderOf(leg()), deadline, began)).toBe(false);
  });

  it('proves nothing by what is there once it was asked: another may answer behind its name', async () => {
    const hole = holed(around(landed.slot));
    const cases: readonly (readonly [string, (other: SvmAdapter) => Promise<unknown>, object])[] = [
      // The next look decides.
      ['look', (other) => lookAt(other, landed.attempt), { state: 'unknown' }],
      ['paidBy', (other) => other.paidBy(leg(), began), { hash: landed.attempt.transaction.hash }],
      ['sentSince', (other) => other.keys.sentSince('', position, position), { sent: [{ final: true }] }],
      ['unfilledForGood', async (other) => [await other.unfilledForGood(orderOf(leg()), deadline, began)], [false]],
    ];
    for (const [what, ask, truth] of cases) {
      const other = await behindProxy();
      let isWhole = false;
      proxy.plan = (call) => {
        isWhole ||= call.method === 'getFirstAvailableBlock';
        return isWhole ? 'pass' : hole(call);
      };
      expect(await ask(other), what).toMatchObject(truth);
      expect(isWhole, what).toBe(true);
      await other.stop();
      proxy.heal();
    }
  });

  it('is asked for each block once, however often a proof is made', async () => {
    const fresh = await behindProxy();
    const order = orderOf(fillLeg(NATIVE, 1n));
    expect(await fresh.unfilledForGood(order, deadline, began)).toBe(true);
    const first = proxy.calls.length;
    expect(await fresh.unfilledForGood(order, deadline, began)).toBe(true);
    expect(await fresh.unfilledForGood(order, deadline, began)).toBe(true);
    expect(listed(first)).toBeLessThan(300);
    const second = proxy.calls.length;
    expect(await lookAt(fresh, lost)).toEqual({ state: 'spentByOther', final: true });
    expect(listed(second)).toBe(0);
    await fresh.stop();
  });

  it('does not count as the node that it was before it was away', async () => {
    const other = await behindProxy();
    const unpaid = fillLeg(NATIVE, 1n);
    expect(await other.paidBy(unpaid, began)).toBeUndefined();
    proxy.plan = () => 'dropBefore';
    await eventually(
      async () => other.status().healthy,
      (healthy) => !healthy,
    );
    proxy.plan = holed(around(landed.slot));
    await eventually(
      async () => other.status().healthy,
      (healthy) => healthy,
    );
    await expect(other.paidBy(unpaid, began)).rejects.toThrow(/missing/);
    await other.stop();
  });
});

describe('two nodes behind one name, of which one lags', () => {
  const BY = 100;
  let late: Landed;
  let start: string;
  let began: number;

  beforeAll(async () => {
    began = await node.time();
    start = await adapter.keys.lanePosition('');
    const attempt = await signed(adapter, fillLeg(NATIVE, 5_000_000n));
    // Included in one of its last valid blocks, so that a lagging node lacks it when it has expired.
    await node.clock.hold();
    await past('confirmed', lastOf(attempt) - 40);
    late = await land(attempt);
    await past('finalized', lastOf(attempt) + 1);
  }, 60_000);
  afterAll(() => node.clock.run());

  const expectLate = async () => expect((await slotNow('confirmed')) - BY).toBeLessThan(late.slot);
  const isFinal = ({ params: [first] }: JsonRpcCall) =>
    (first as { readonly commitment?: string } | undefined)?.commitment === 'finalized';

  it('prove nothing by what the late one has no status of', async () => {
    await expectLate();
    proxy.plan = lagging(BY, (call) => {
      return call.method === 'getSignatureStatuses' || (call.method === 'getSlot' && isFinal(call));
    });
    expect(await lookAt(adapter, late.attempt)).toMatchObject({ state: 'unknown' });
    proxy.heal();
    expect(await lookAt(adapter, late.attempt)).toMatchObject({ state: 'spent', ok: true });
  });

  it('prove nothing by a height that only the fresh one has reached', async () => {
    await expectLate();
    proxy.plan = lagging(BY, ({ method }) => method !== 'getBlockHeight');
    // A process that knows no newer head.
    const other = await behindProxy();
    expect(await lookAt(other, late.attempt)).toMatchObject({ state: 'unknown', why: /final height/ });
    await other.stop();
  });

  it('do not end the wait for what was signed before, nor report a lane by a height of the late one', async () => {
    const { height } = readPosition(start);
    await past('finalized', height + VALID_BLOCKS + LAG_BLOCKS);
    expect(await adapter.keys.sentSince('', start, start)).toMatchObject({ pending: false });
    proxy.plan = lagging(BY, ({ method }) => method !== 'getBlockHeight');
    const other = await behindProxy();
    expect(await other.keys.sentSince('', start, start)).toMatchObject({ pending: true });
    await other.stop();
    proxy.plan = lagging(BY, ({ method }) => method === 'getBlockHeight' || method === 'getLatestBlockhash');
    await expect(adapter.keys.lanePosition('')).rejects.toThrow(/lags behind/);
  }, 60_000);

  it('say nothing of what the list of the late one lacks', async () => {
    const { leg } = late.attempt;
    const order = leg.kind === 'fill' ? leg.orderId : '0x';
    const deadline = Math.floor(began / 1_000) - 60;
    proxy.plan = listedUpTo(late.slot - 1);
    const refused = /context slot/;
    await expect(adapter.paidBy(leg, began)).rejects.toThrow(refused);
    await expect(adapter.keys.sentSince('', start, start)).rejects.toThrow(refused);
    await expect(adapter.unfilledForGood(order, deadline, began)).rejects.toThrow(refused);
  });
});
