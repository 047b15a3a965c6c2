import type { HttpClient } from '@causeway/core/rpc';
import { describe, expect, it } from 'vitest';
import { keptAbove, keptLife, keptSince, oldestBlock } from '../src/history-kept.js';
import { type Block, forgetRuns, readBlock, runsOf, unbroken } from '../src/unbroken-history.js';
import { answer, asked, type FakeNode, heightAt, isEmpty, slotAt, timeAt } from './support/fake-ledger.js';

// Long ledgers with empty slots, which the local node lacks.

const START = 10_000_000;
const DAY = 216_000;
const only = (slot: number) => (one: number) => one === slot;

function ledger(node: Partial<FakeNode> = {}) {
  const one: FakeNode = { head: START, oldest: START - 3 * DAY, ...node };
  return { node: one, ...asked((method, params) => answer(one, method, params)) };
}

const tops = ({ head }: FakeNode) => ({ final: head - 32, slot: head });
const sinceSlot = (slot: number) => timeAt(slot) * 1_000;

describe('a history since a time', () => {
  const since = sinceSlot(START - DAY);

  it('is kept where no block is missing, and listed once', async () => {
    const { node, rpc, calls, listed } = ledger();
    await keptSince(rpc, since, tops(node));
    expect(listed()).toBeGreaterThan(DAY);
    expect(listed()).toBeLessThan(2 * DAY);
    const [first, count] = [listed(), calls.length];
    for (const seconds of [0, 60, 3_600]) await keptSince(rpc, since + seconds * 1_000, tops(node));
    node.head += 40;
    await keptSince(rpc, since, tops(node));
    expect(listed() - first).toBeLessThan(400);
    expect(calls.length - count).toBeLessThan(40);
    expect(runsOf(rpc)).toHaveLength(1);
  });

  it('is not where a single block is missing, wherever that is', async () => {
    const from = START - DAY;
    for (const slot of [
      from + 1,
      from + 2,
      from + 50_000,
      START - DAY / 2,
      START - 40,
      START - 34,
      START - 20,
      START - 1,
    ]) {
      expect(isEmpty(slot)).toBe(false);
      const { node, rpc } = ledger({ lacks: only(slot) });
      await expect(keptSince(rpc, since, tops(node)), `slot ${slot}`).rejects.toThrow(/missing/);
      await expect(keptSince(rpc, since, tops(node))).rejects.toThrow(/missing/);
    }
  });

  it('is not where the last blocks are missing, up to those that the answer covers', async () => {
    for (const last of [START - 1_000, START - 32, START - 1]) {
      const { node, rpc } = ledger({ lacks: (slot) => slot > last });
      await expect(keptSince(rpc, since, tops(node))).rejects.toThrow(/missing/);
    }
  });

  it('is kept where blocks are missing before it', async () => {
    for (const slots of [1_000, 3_000, 5_000, 20_000, 100_000]) {
      const from = START - slots;
      const { node, rpc } = ledger({ lacks: (slot) => slot > from - DAY && slot < from - 700 });
      await keptSince(rpc, sinceSlot(from), tops(node));
    }
  });

  it('is not of a node that threw its beginning away', async () => {
    const { node, rpc } = ledger();
    await expect(keptSince(rpc, sinceSlot(START - 4 * DAY), tops(node))).rejects.toThrow(/pruned/);
    await expect(keptSince(rpc, 0 - 120_000, tops(node))).rejects.toThrow(/pruned/);
    await keptSince(rpc, since, tops(node));
    node.oldest = START - DAY + 1_000;
    await expect(keptSince(rpc, since, tops(node))).rejects.toThrow(/pruned/);
    await keptSince(rpc, since + 3_600_000, tops(node));
  });

  it('without a bound is gone through piece by piece, where a node has all', async () => {
    const { node, rpc, calls } = ledger({ oldest: 0, head: 2_500_000 });
    for (let asks = 0; ; asks += 1) {
      const before = calls.length;
      const done = await keptSince(rpc, -120_000, tops(node)).then(
        () => true,
        (error: unknown) => String(error),
      );
      expect(calls.length - before).toBeLessThan(60);
      if (done === true) break;
      expect(done).toMatch(/were not read yet/);
      expect(asks).toBeLessThan(5);
    }
    const before = calls.length;
    await keptSince(rpc, -120_000, tops(node));
    expect(calls.length - before).toBeLessThan(5);
  });

  it('is proven again of a node that was away', async () => {
    const { node, rpc } = ledger();
    await keptSince(rpc, since, tops(node));
    node.lacks = only(START - 1_001);
    forgetRuns(rpc);
    await expect(keptSince(rpc, since, tops(node))).rejects.toThrow(/missing/);
  });
});

describe('a history above a slot', () => {
  it('is kept where no block is missing', async () => {
    const { node, rpc, calls, listed } = ledger();
    const { final } = tops(node);
    await keptAbove(rpc, START - 1_000, final);
    expect(listed()).toBeLessThan(1_000);
    const { length } = calls;
    await keptAbove(rpc, START - 500, final);
    expect(calls.slice(length).map(({ method }) => method)).toEqual(['getFirstAvailableBlock']);
    await keptAbove(rpc, START, final);
  });

  it('is not where one is', async () => {
    for (const slot of [START - 999, START - 998, START - 100, START - 34, START - 32]) {
      expect(isEmpty(slot)).toBe(false);
      const { node, rpc } = ledger({ lacks: only(slot) });
      await expect(keptAbove(rpc, START - 1_000, tops(node).final), `slot ${slot}`).rejects.toThrow(/missing/);
    }
  });
});

describe('the life of a message', () => {
  const LAST = heightAt(START) - 5_000;
  const top = (rpc: HttpClient, node: FakeNode) => readBlock(rpc, tops(node).final, 'finalized');
  const kept = async (rpc: HttpClient, last: number, final: Block) =>
    keptLife(rpc, last, final, await oldestBlock(rpc));

  it('is kept where no block of it is missing, whatever else is', async () => {
    const [before, after] = [slotAt(LAST - 150) - 40, slotAt(LAST) + 100];
    const { node, rpc, calls, listed } = ledger();
    const has = new Set([node.oldest, tops(node).final]);
    node.lacks = (slot) => !has.has(slot) && (slot < before || slot > after);
    await kept(rpc, LAST, await top(rpc, node));
    expect(listed()).toBeLessThan(1_000);
    const { length } = calls;
    await kept(rpc, LAST, await top(rpc, node));
    expect(calls.slice(length).map(({ method }) => method)).toEqual(['getBlock', 'getFirstAvailableBlock', 'getBlock']);
  });

  it('is not where one of its blocks is', async () => {
    for (let height = LAST - 150; height <= LAST + 1; height += 1) {
      const { node, rpc } = ledger({ lacks: only(slotAt(height)) });
      await expect(kept(rpc, LAST, await top(rpc, node)), `height ${height}`).rejects.toThrow(/missing/);
    }
  });

  it('is not where what is known of it ends with its last valid height, and the next block is missing', async () => {
    const { node, rpc } = ledger({ lacks: only(slotAt(LAST + 1)) });
    await unbroken(rpc, slotAt(LAST - 160), slotAt(LAST));
    await expect(kept(rpc, LAST, await top(rpc, node))).rejects.toThrow(/missing/);
  });

  it('is not of a node that threw it away since', async () => {
    const { node, rpc } = ledger();
    await kept(rpc, LAST, await top(rpc, node));
    node.oldest = slotAt(LAST - 149);
    await expect(kept(rpc, LAST, await top(rpc, node))).rejects.toThrow(/pruned/);
  });

  it('is not where the hole is longer than it', async () => {
    const hole = { from: slotAt(LAST) - 20_000, to: START - 1_000 };
    const { node, rpc } = ledger({ lacks: (slot) => slot >= hole.from && slot <= hole.to });
    await expect(kept(rpc, LAST, await top(rpc, node))).rejects.toThrow(/missing/);
  });

  it('is listed once where many lives are asked for together', async () => {
    const { node, rpc, listed } = ledger();
    const final = await top(rpc, node);
    await Promise.all(Array.from({ length: 300 }, (_, n) => kept(rpc, LAST + 10 * n, final)));
    expect(listed()).toBeLessThan(2 * 5_000 + 300 * 4 * 65);
    expect(runsOf(rpc).length).toBeLessThanOrEqual(16);
  });

  it('of messages that are far apart takes no more than so much memory', async () => {
    const { node, rpc } = ledger();
    const final = await top(rpc, node);
    for (let n = 1; n <= 40; n += 1) await kept(rpc, LAST - 10_000 * n, final);
    expect(runsOf(rpc)).toHaveLength(16);
  });
});
