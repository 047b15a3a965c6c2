import type { BlockRef } from '@causeway/core';
import { describe, expect, it } from 'vitest';
import { rangeKey, readRangeKey } from '../src/deposit-addresses/funding-key.js';
import { endOf } from '../src/deposit-addresses/swept.js';
import { Buckets } from '../src/watch/addresses/buckets.js';
import { AddressLedger, type Known, uncovered } from '../src/watch/addresses/ledger.js';
import { piecesOf } from '../src/watch/addresses/pieces.js';
import { isPlainKey } from '../src/watch/plain-transfers.js';

const ADDRESS = `0x${'ab'.repeat(20)}`;
const NATIVE = `0x${'00'.repeat(20)}`;
const account = { address: ADDRESS, currency: NATIVE };

function known(from: bigint, to: bigint, height: number, isFinal = false): Known {
  return { from, to, height, isFinal, block: undefined, transactionHash: '', depositor: '' };
}

const block = (height: number): BlockRef => ({ height, id: `0x${height}`, timestamp: height });
const shown = (amount: bigint, height = 1) => ({
  ...{ amount, transactionHash: `0x${amount}`, depositor: '' },
  block: block(height),
});

describe('funding keys of transfers to addresses', () => {
  it('are read as they are written, and are none of deposits', () => {
    const range = { ...account, from: 5n, to: 12n };
    const key = rangeKey(8453, range);
    expect(key).toBe(`8453:at:${ADDRESS}:${NATIVE}:5:12`);
    expect(readRangeKey(key)).toEqual(range);
    expect(isPlainKey(key)).toBe(false);
    for (const other of [`1:0x${'1'.repeat(64)}:0`, `1:0x${'1'.repeat(64)}:${NATIVE}:0`, '1:at:x:y:1:2', ''])
      expect(readRangeKey(other)).toBeUndefined();
  });

  it('name the end of their transfer, for its own address and currency alone', () => {
    const salt = `0x${'01'.repeat(32)}` as const;
    const leg = {
      ...({
        kind: 'sweep',
        legId: 'l',
        fundingKey: rangeKey(1, { ...account, from: 5n, to: 12n }),
        amount: 7n,
      } as const),
      ...{ currency: NATIVE, recipient: ADDRESS, useKey: salt, expiration: 0, from: { address: ADDRESS, salt } },
    };
    expect(endOf(leg)).toBe(12n);
    expect(() => endOf({ ...leg, currency: ADDRESS })).toThrow(/sweeps no transfer/);
    expect(() => endOf({ ...leg, from: { address: NATIVE, salt } })).toThrow(/sweeps no transfer/);
  });
});

describe('what is known of an address', () => {
  it('leaves the gaps to be reported, up to what arrived', () => {
    expect(uncovered([], 0n)).toEqual([]);
    expect(uncovered([], 5n)).toEqual([{ from: 0n, to: 5n }]);
    const ranges = [
      { from: 2n, to: 4n },
      { from: 6n, to: 9n },
    ];
    expect(uncovered(ranges, 12n)).toEqual([
      { from: 0n, to: 2n },
      { from: 4n, to: 6n },
      { from: 9n, to: 12n },
    ]);
    expect(uncovered(ranges, 9n)).toHaveLength(2);
    expect(uncovered(ranges, 5n)).toEqual([
      { from: 0n, to: 2n },
      { from: 4n, to: 5n },
    ]);
    expect(uncovered([{ from: 0n, to: 9n }], 5n)).toEqual([]);
  });

  it('takes no transfer twice', () => {
    const ledger = new AddressLedger();
    ledger.add(account, [known(0n, 5n, 1)]);
    ledger.add(account, [known(0n, 5n, 1), known(3n, 8n, 2), known(5n, 9n, 3)]);
    expect(ledger.known(account).map(({ from, to }) => [from, to])).toEqual([
      [0n, 5n],
      [5n, 9n],
    ]);
  });

  it('joins what is final, and still names what must be repeated', () => {
    const ledger = new AddressLedger();
    ledger.add(account, [known(0n, 1n, 1), known(1n, 2n, 2), known(2n, 3n, 5)]);
    const above = (least: number) => ledger.at(least, (height) => height > least);
    expect(above(4)).toEqual([account]);
    expect(above(5)).toEqual([]);
    expect(ledger.isOpen(ADDRESS)).toBe(true);
    ledger.settle(2);
    expect(ledger.known(account).map(({ from, to, isFinal }) => [from, to, isFinal])).toEqual([
      [0n, 2n, true],
      [2n, 3n, false],
    ]);
    ledger.settle(9);
    expect(ledger.known(account)).toHaveLength(1);
    expect([ledger.isOpen(ADDRESS), ledger.merged]).toEqual([false, 9]);
    ledger.set(account, []);
    expect(ledger.known(account)).toEqual([]);
  });
});

describe('a new arrival', () => {
  it('is divided among the newest transfers that explain it exactly, else it is one', () => {
    const ranges = (pieces: ReturnType<typeof piecesOf>) =>
      pieces.map(({ from, to, shown: by }) => [from, to, by?.transactionHash]);
    expect(ranges(piecesOf({ from: 10n, to: 15n }, [shown(9n), shown(2n), shown(3n)]))).toEqual([
      [10n, 12n, '0x2'],
      [12n, 15n, '0x3'],
    ]);
    expect(ranges(piecesOf({ from: 0n, to: 5n }, [shown(2n), shown(2n)]))).toEqual([[0n, 5n, undefined]]);
    expect(ranges(piecesOf({ from: 0n, to: 5n }, [shown(4n), shown(2n)]))).toEqual([[0n, 5n, undefined]]);
    expect(ranges(piecesOf({ from: 0n, to: 5n }, []))).toEqual([[0n, 5n, undefined]]);
    // A token that keeps a part.
    expect(ranges(piecesOf({ from: 0n, to: 5n }, [shown(6n)]))).toEqual([[0n, 5n, '0x6']]);
    expect(ranges(piecesOf({ from: 0n, to: 5n }, [shown(4n)]))).toEqual([[0n, 5n, undefined]]);
    const dust = Array.from({ length: 5 }, () => shown(1n));
    expect(ranges(piecesOf({ from: 0n, to: 5n }, dust, 4))).toEqual([[0n, 5n, undefined]]);
    expect(piecesOf({ from: 0n, to: 5n }, dust, 5)).toHaveLength(5);
  });
});

describe('groups of addresses', () => {
  it('are read in turns, the newest first, as addresses come and go', () => {
    const buckets = new Buckets();
    for (let n = 0; n < 2_500; n += 1) buckets.add(`a${n}`, { height: 1, id: '0x1' });
    expect(buckets.due({ height: 2, id: '0x2' }).map(({ addresses }) => addresses.size)).toEqual([500, 1_000, 1_000]);
    const [first, second] = buckets.due({ height: 2, id: '0x2' });
    if (first === undefined || second === undefined) throw new Error('too few');
    first.readTo = { height: 2, id: '0x2' };
    expect(buckets.due({ height: 2, id: '0x2' })).toHaveLength(2);
    second.readTo = { height: 3, id: '0x3' };
    expect(buckets.due({ height: 4, id: '0x4' }).map(({ readTo }) => readTo?.height)).toEqual([1, 2, 3]);
    buckets.rewind({ height: 2, id: '0x' });
    expect(second.readTo).toEqual({ height: 2, id: '0x' });
    for (let n = 0; n < 1_000; n += 1) buckets.remove(`a${n}`);
    expect([buckets.size, buckets.has('a5'), buckets.has('a1005')]).toEqual([1_500, false, true]);
    buckets.add('b', { height: 4, id: '0x4' });
    expect(buckets.due({ height: 5, id: '0x5' })).toHaveLength(2);
  });
});
