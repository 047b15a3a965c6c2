import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LegKind, PostingRow } from '../../src/contract/index.js';
import { account, counter, legId } from '../../src/domain/accounts.js';
import {
  depositPosting,
  equityPosting,
  gasPosting,
  holdPosting,
  type MovementFact,
  movementPosting as postMovement,
} from '../../src/domain/postings.js';
import { LEG_KINDS } from '../../src/engine/kinds/table.js';

const movementPosting = (groupId: string, fact: MovementFact, createdAt: number, sign: 1n | -1n) =>
  postMovement(groupId, fact, LEG_KINDS.of(fact).lines, createdAt, sign);

const meta = { groupId: 'g', requestId: null, legId: null, createdAt: 1 };
const amounts = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const signs = fc.constantFrom(1n, -1n);

const facts: fc.Arbitrary<MovementFact> = fc.record({
  legId: fc.constant('leg'),
  requestId: fc.constant(null),
  kind: fc.constantFrom('fill' as const, 'refund' as const, 'excess' as const, 'collect' as const),
  chainId: fc.constantFrom(1, 2),
  signer: fc.constant('filler'),
  currency: fc.constantFrom('a', 'b'),
  moved: amounts.map(String),
  arrived: amounts.map(String),
  covers: amounts.map(String),
  originChainId: fc.constantFrom(1, 2),
  originCurrency: fc.constantFrom('a', 'b'),
});

/** Per chain and currency of the account's name. */
function sums(rows: readonly PostingRow[]): bigint[] {
  const totals = new Map<string, bigint>();
  for (const { account: name, amount } of rows) {
    const parts = name.split(':');
    const currency = `${parts[1]}:${parts.at(-1)}`;
    totals.set(currency, (totals.get(currency) ?? 0n) + amount);
  }
  return [...totals.values()];
}

function effect(rows: readonly PostingRow[]): Record<string, bigint> {
  return Object.fromEntries(rows.map((row) => [row.account, row.amount]));
}

function negated(rows: readonly PostingRow[]): Record<string, bigint> {
  return Object.fromEntries(rows.map((row) => [row.account, -row.amount]));
}

describe('every posting', () => {
  it('of a movement sums to zero per currency, names no account twice, and is reversed exactly', () => {
    fc.assert(
      fc.property(facts, (fact) => {
        const rows = movementPosting('g', fact, 1, 1n);
        for (const sum of sums(rows)) expect(sum).toBe(0n);
        expect(new Set(rows.map((row) => row.account)).size).toBe(rows.length);
        expect(effect(movementPosting('g', fact, 1, -1n))).toEqual(negated(rows));
      }),
    );
  });

  it('of a deposit, a hold, gas and an opening does too', () => {
    fc.assert(
      fc.property(amounts, signs, (amount, sign) => {
        const deposit = { chainId: 1, currency: 'a', amount };
        for (const build of [
          (by: 1n | -1n) => depositPosting(meta, deposit, by),
          (by: 1n | -1n) => holdPosting(meta, 1, 'a', amount, by),
          (by: 1n | -1n) => gasPosting(meta, 1, account.inventory(1, 'filler', 'a'), 'a', amount, by),
        ]) {
          const rows = build(sign);
          for (const sum of sums(rows)) expect(sum).toBe(0n);
          expect(effect(build(sign === 1n ? -1n : 1n))).toEqual(negated(rows));
        }
        for (const sum of sums(equityPosting(meta, account.inventory(1, 'filler', 'a'), 'opening', 1, 'a', amount)))
          expect(sum).toBe(0n);
      }),
    );
  });

  it('leaves out what is zero', () => {
    expect(gasPosting(meta, 1, account.inventory(1, 'filler', 'a'), 'a', 0n, 1n)).toEqual([]);
    expect(equityPosting(meta, account.depository(1, 'a'), 'inflow', 1, 'a', 0n)).toEqual([]);
  });
});

describe('what each movement means', () => {
  const fact: MovementFact = {
    legId: 'leg',
    requestId: '0x01',
    kind: 'fill',
    chainId: 2,
    signer: 'filler',
    currency: 'b',
    moved: '99',
    covers: '100',
    originChainId: 1,
    originCurrency: 'a',
  };

  it('fill: inventory is paid out, and what was owed for the deposit is earned', () => {
    expect(effect(movementPosting('g', fact, 1, 1n))).toEqual({
      'inventory:2:filler:b': -99n,
      'paid:2:b': 99n,
      'owed:1:a': 100n,
      'earned:1:a': -100n,
    });
  });

  it('refund: the depository pays, and what gas took is earned', () => {
    const refund: MovementFact = { ...fact, kind: 'refund', chainId: 1, currency: 'a', moved: '93' };
    expect(effect(movementPosting('g', refund, 1, 1n))).toEqual({
      'owed:1:a': 100n,
      'depository:1:a': -93n,
      'earned:1:a': -7n,
    });
  });

  it('collect: the depository fills inventory', () => {
    const collect: MovementFact = { ...fact, kind: 'collect', chainId: 1, currency: 'a', covers: '0' };
    expect(effect(movementPosting('g', collect, 1, 1n))).toEqual({
      'depository:1:a': -99n,
      'inventory:1:filler:a': 99n,
    });
  });

  it('collect: what the token kept on the way is an expense', () => {
    const collect: MovementFact = { ...fact, kind: 'collect', chainId: 1, currency: 'a', covers: '0', arrived: '90' };
    expect(effect(movementPosting('g', collect, 1, 1n))).toEqual({
      'depository:1:a': -99n,
      'inventory:1:filler:a': 90n,
      'transferFees:1:a': 9n,
    });
  });

  it('groups differ by leg, so that a batch posts each of its legs once', () => {
    const groups = movementPosting('g', fact, 1, 1n).map((row) => row.groupId);
    expect(new Set(groups)).toEqual(new Set(['g:leg']));
  });

  it('nothing is posted for a kind that is not there', () => {
    expect(() => movementPosting('g', { ...fact, kind: 'unheardOf' as LegKind }, 1, 1n)).toThrow(/unheardOf/);
  });
});

describe('names', () => {
  it('of the daily volume turn at midnight UTC', () => {
    expect(counter.volume(Date.UTC(2026, 0, 31, 23, 59, 59, 999))).toBe('#volume:2026-01-31');
    expect(counter.volume(Date.UTC(2026, 1, 1))).toBe('#volume:2026-02-01');
  });

  it('of legs are one per order and one per deposit and kind', () => {
    expect(legId.fill('0xo')).toBe('fill:0xo');
    expect([legId.refund('k'), legId.excess('k')]).toEqual(['refund:k', 'excess:k']);
  });
});
