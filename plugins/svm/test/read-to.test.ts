import type { DepositBatch, IsPromised } from '@causeway/core';
import { TransportError } from '@causeway/core/rpc';
import { describe, expect, it } from 'vitest';
import { answer, asked, type FakeNode, type FakeTransaction } from './support/fake-ledger.js';
import { addressOf, fakeTransaction, idOf, signatureOf, type Wish } from './support/fake-transactions.js';
import { fakeWatch, VAULT } from './support/fake-watch.js';
import { services } from './support/services.js';

// The read position decides which books the balance is compared with, so it must never be too high.

const START = 200_000;
const CURSOR = JSON.stringify({ v: 1, settled: START - 2_000, seen: START - 2_000 });

function chain(wishes: readonly Omit<Wish, 'touches'>[]) {
  const landed = new Map<string, FakeTransaction>();
  const add = (wish: Omit<Wish, 'touches'>): void => {
    landed.set(...fakeTransaction({ touches: [VAULT], ...wish }));
  };
  for (const wish of [...wishes].sort((a, b) => a.slot - b.slot)) add(wish);
  const node: FakeNode = { head: START, oldest: START - 100_000, landed };
  return { node, add };
}

const deposit = (name: string, slot: number): Omit<Wish, 'touches'> => ({
  ...{ name, slot, lamports: 5_000n, payer: addressOf(name), memo: idOf(name) },
});
const deposits = (count: number, from: number, to: number): readonly Omit<Wish, 'touches'>[] =>
  Array.from({ length: count }, (_, n) => deposit(`one ${from} ${n}`, from + Math.floor((n * (to - from)) / count)));

function expectHonest(batches: readonly DepositBatch[], landed: ReadonlyMap<string, FakeTransaction>): void {
  const reported = new Set<string>();
  for (const { deposits, unread = [], head, readTo = head.height } of batches) {
    for (const { transactionHash } of [...deposits, ...unread]) reported.add(transactionHash);
    const missing = [...landed].filter(([signature, { slot }]) => slot <= readTo && !reported.has(signature));
    expect(missing.map(([, { slot }]) => `${slot} of ${readTo}`)).toEqual([]);
  }
}

describe('how far deposits are read', () => {
  it('is reported while others wait, more each time, and is the head in the end', async () => {
    const { node, add } = chain([...deposits(5_000, START - 1_900, START - 100), deposit('honest', START - 50)]);
    const { rpc } = asked((method, params) => answer(node, method, params));
    const isPromised: IsPromised = async (ids) => new Set(ids.filter((id) => id === idOf('honest')));
    const watch = fakeWatch(node, rpc, { cursor: CURSOR, seen: new Map() }, { isPromised });
    await watch.poll();
    const reported = watch.batches.map(({ readTo }) => readTo);
    const parts = reported.flatMap((to) => to ?? []);
    expect(parts.length).toBeGreaterThan(5);
    expect(parts).toEqual([...parts].sort((a, b) => a - b));
    expect(reported.at(-1)).toBeUndefined();
    expectHonest(watch.batches, node.landed ?? new Map());
    for (const one of deposits(1_200, START + 1, START + 12)) add(one);
    node.head = START + 14;
    const before = watch.batches.length;
    await watch.poll();
    expect(watch.batches[before]?.readTo).toBeLessThan(START + 12);
    expect(watch.batches.at(-1)).not.toHaveProperty('readTo');
    expectHonest(watch.batches, node.landed ?? new Map());
    await watch.end();
  }, 60_000);

  it('ends before what the node is too busy to show', async () => {
    const { node } = chain([deposit('before', START - 300), deposit('busy', START - 200), deposit('after', START)]);
    let isBusy = true;
    const { rpc } = asked((method, params) => {
      const isLate = method === 'getTransaction' && params[0] === signatureOf('busy');
      if (isBusy && isLate) throw new TransportError('too many requests', 'rate');
      return answer(node, method, params);
    });
    const watch = fakeWatch(node, rpc, { cursor: CURSOR, seen: new Map() });
    await watch.until(({ seen }) => seen.size > 0);
    expect(watch.batches.at(-1)?.readTo).toBeLessThan(START - 200);
    isBusy = false;
    await watch.poll();
    expect(watch.batches.at(-1)).not.toHaveProperty('readTo');
    expectHonest(watch.batches, node.landed ?? new Map());
    await watch.end();
  });

  it('ends before what cannot be read, until an operator is informed of all of it', async () => {
    const odd = deposits(40, START - 1_000, START - 960).map((one) => ({ ...one, shown: 'refused' as const }));
    const { node } = chain([...odd, deposit('after', START - 100)]);
    const { rpc } = asked((method, params) => answer(node, method, params));
    let now = 0;
    const clock = { ...services().clock, monotonic: () => now };
    const watch = fakeWatch(node, rpc, { cursor: CURSOR, seen: new Map() }, { clock });
    await watch.poll();
    expect(watch.batches.at(-1)?.readTo).toBe(START - 1_001);
    for (let polls = 0; watch.unread.length < odd.length; polls += 1) {
      expect(polls).toBeLessThan(100);
      now += 30_000;
      await watch.poll();
    }
    expect(watch.batches.at(-1)).not.toHaveProperty('readTo');
    expectHonest(watch.batches, node.landed ?? new Map());
    // The cursor passes no unreported deposit: it would be lost with the process.
    const reported = new Set<string>();
    for (const { unread = [], cursor } of watch.batches) {
      for (const { transactionHash } of unread) reported.add(transactionHash);
      const passed = odd.filter(
        ({ name, slot }) => slot <= JSON.parse(cursor).settled && !reported.has(signatureOf(name)),
      );
      expect(passed).toEqual([]);
    }
    await watch.end();
  });
});
