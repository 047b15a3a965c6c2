import { SeededRandom } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import type { StateChange } from '../../src/contract/transactions.js';
import { BalanceChanges } from '../../src/domain/balance-changes.js';
import { cutJson } from '../../src/domain/cut-json.js';
import { entryTexts, MAX_ENTRY_CHARACTERS } from '../../src/domain/entry-text.js';

const COIN = '0xc0';
const USER = '0xUser';
const own = { isConfigured: (currency: string) => currency === COIN, accounts: new Set(['0xvault']) };
const entry = {
  ...{ txHash: '0x1', fee: '1', feeUsd: '0', block: 1, type: 'onchain', chainId: 1, timestamp: 1 },
  status: 'success',
  data: { to: null, from: USER, data: `0x${'5b'.repeat(49_000)}`, value: '7' },
} as const;

function crowded(): BalanceChanges {
  const changes = new BalanceChanges();
  for (let n = 0; n < 5_000; n += 1) changes.add(`0xfake${n}`, '0xmade-up', BigInt(n) + 1n);
  for (let n = 0; n < 100; n += 1) changes.add(`0xother${n}`, COIN, 5n);
  changes.add(USER.toLowerCase(), '0xmade-up', 3n);
  changes.add('0xvault', COIN, 9n);
  changes.add(USER.toLowerCase(), COIN, -9n);
  return changes;
}

it('keeps what the parties of a request gained of a crowded transaction, and says that the rest is cut', () => {
  const listed = crowded().listed(own.isConfigured);
  expect([listed.stateChanges.length, listed.truncated]).toEqual([2_000, true]);
  const text = entryTexts({ ...entry, ...listed }, own)([USER]);
  expect(text.length).toBeLessThanOrEqual(MAX_ENTRY_CHARACTERS);
  const kept = JSON.parse(text) as Omit<typeof entry, 'data'> & {
    readonly data: { readonly data: string };
    readonly stateChanges: readonly StateChange[];
    readonly truncated?: true;
  };
  expect(kept).toMatchObject({ txHash: '0x1', status: 'success', truncated: true, data: { from: USER, value: '7' } });
  expect(kept.data.data).toMatch(/^0x5b5b.*… \(98002 characters in all\)$/);
  const reported = kept.stateChanges.map(({ address, change }) => `${address} ${change.balanceDiff}`);
  expect(reported.slice(0, 3)).toEqual(['0xuser -9', '0xvault 9', '0xother0 5']);
});

it('leaves an entry that is short enough as it is', () => {
  const whole = { ...entry, data: null, stateChanges: [] };
  expect(entryTexts(whole, own)([USER])).toBe(JSON.stringify(whole));
});

it('fits whatever it is given into its room, as JSON', () => {
  const random = new SeededRandom('cut');
  const drawn = (depth: number): unknown => {
    const many = random.pick([0, 1, 3, 20]);
    switch (random.between(0, depth > 10 ? 1 : 4)) {
      case 0:
        return random.pick(['x', '"\\', '\u0000\n', '…']).repeat(random.pick([0, 1, 700, 9_000]));
      case 1:
        return random.pick([null, true, 12, -1.5]);
      case 2:
        return Array.from({ length: many }, () => drawn(depth + 3));
      default:
        return Object.fromEntries(
          Array.from({ length: many }, (_, n) => [`${n}${'k'.repeat(random.pick([0, 90]))}`, drawn(depth + 3)]),
        );
    }
  };
  for (let n = 0; n < 60; n += 1) {
    const room = random.pick([8, 64, 500, 7_680]);
    const value = drawn(0);
    expect(JSON.stringify(cutJson(value, room)).length).toBeLessThanOrEqual(room);
  }
  let deep: unknown = 'x';
  for (let n = 0; n < 5_000; n += 1) deep = { deep };
  expect(cutJson(deep, 7_680)).toBeDefined();
});
