import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EvidenceKind, FailureEvidence } from '../../src/domain/evidence.js';
import { TRANSITIONS } from '../../src/domain/transition-table.js';
import {
  REQUEST_STATUSES,
  type RequestStatus,
  type Transition,
  type Trigger,
  transition,
} from '../../src/domain/transitions.js';
import { transitionsMarkdown } from './transitions-markdown.js';

const proofs: Record<EvidenceKind, FailureEvidence> = {
  keyClosed: { kind: 'keyClosed', key: 'k' },
  revertedFinal: { kind: 'revertedFinal', hash: 'h' },
  rejectedBeforePool: { kind: 'rejectedBeforePool', message: 'm' },
  depositVanished: { kind: 'depositVanished', fundingKey: 'f' },
  rivalConfirmed: { kind: 'rivalConfirmed', fundingKey: 'f', rival: 'r' },
  executionVanished: { kind: 'executionVanished', execution: 'e' },
  nothingOwed: { kind: 'nothingOwed', reason: 'AMOUNT_TOO_LOW_TO_REFUND' },
  timeout: { kind: 'timeout', fundingKey: 'f', afterMs: 1 },
};
const triggers = [...new Set(TRANSITIONS.map((row) => row.trigger))];
const guards = [undefined, ...REQUEST_STATUSES];
const evidence = [undefined, ...Object.values(proofs)];

/** The design's table by hand: `from trigger[/guard] -> to`. */
const EXPECTED = [
  'waiting originSent -> depositing',
  'waiting depositSeen -> pending',
  'depositing depositSeen -> pending',
  'depositing originFailed -> failure',
  'waiting executeAccepted -> pending',
  'waiting sameChainIncluded -> success',
  'depositing sameChainIncluded -> success',
  'waiting sameChainReverted -> failure',
  'failure sameChainIncluded -> success',
  'success sameChainReorged -> failure',
  'pending fillSent -> submitted',
  'submitted fillIncluded -> success',
  'submitted fillKeyClosedWithoutEffect -> pending',
  'success fillDroppedForGood -> failure',
  'fallback fillDroppedForGood -> failure',
  'pending refundFinal -> refund',
  'failure refundFinal -> refund',
  'pending depositCredited -> success',
  'pending refundHeld -> failure',
  'pending submissionFailed -> failure',
  'submitted submissionFailed -> failure',
  'pending notIncluded -> failure',
  'submitted notIncluded -> failure',
  'pending nothingOwed -> failure',
  'submitted nothingOwed -> failure',
  'pending depositReorged -> failure',
  'submitted depositReorged -> failure',
  'success depositReorged -> failure',
  'fallback depositReorged -> failure',
  'failure depositReturned/success -> success',
  'failure depositReturned/submitted -> submitted',
  'failure depositReturned/pending -> pending',
  'failure depositReturned/fallback -> fallback',
  'pending rivalSpendConfirmed -> failure',
  'pending confirmationTimeout -> failure',
  'pending fallbackDelivered -> fallback',
  'submitted fallbackDelivered -> fallback',
];

function everyMove(): Set<string> {
  const moves = new Set<string>();
  for (const from of REQUEST_STATUSES) {
    for (const trigger of triggers) {
      for (const guard of guards) {
        for (const proof of evidence) {
          const moved = transition(from, trigger as Trigger, guard, proof);
          if (moved.ok) moves.add(`${from} ${trigger}${guard === undefined ? '' : `/${guard}`} -> ${moved.to}`);
        }
      }
    }
  }
  return moves;
}

describe('the transition table', () => {
  it('allows exactly the moves of the design', () => {
    expect([...everyMove()].sort()).toEqual([...EXPECTED].sort());
  });

  it('gives one answer per status, trigger and guard', () => {
    const keys = TRANSITIONS.flatMap((row) => row.from.map((from) => `${from} ${row.trigger} ${row.guard}`));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('never stays where it is: staying is no transition', () => {
    for (const row of TRANSITIONS) expect(row.from as readonly string[]).not.toContain(row.to);
  });

  it('reaches every status from a quote that waits, and nothing leaves refund', () => {
    const seen = new Set<RequestStatus>(['waiting']);
    for (let size = 0; size !== seen.size; ) {
      size = seen.size;
      for (const row of TRANSITIONS) if (row.from.some((from) => seen.has(from))) seen.add(row.to);
    }
    expect([...seen].sort()).toEqual([...REQUEST_STATUSES].sort());
    expect(TRANSITIONS.filter((row) => (row.from as readonly string[]).includes('refund'))).toEqual([]);
  });

  it('goes back to waiting or depositing never, and loses a success only to a proven failure', () => {
    for (const row of TRANSITIONS) {
      const from: readonly string[] = row.from;
      expect(row.to).not.toBe('waiting');
      if (row.to === 'depositing') expect(row.from).toEqual(['waiting']);
      if (from.includes('success')) expect(row.to).toBe('failure');
    }
  });
});

describe('failure', () => {
  it('is claimed only with proof of a kind that the row accepts', () => {
    for (const row of TRANSITIONS) {
      for (const from of row.from) {
        for (const proof of evidence) {
          const accepted = row.to !== 'failure' || (row.evidence as readonly unknown[]).includes(proof?.kind);
          expect(transition(from, row.trigger as Trigger, row.guard ?? undefined, proof).ok).toBe(accepted);
        }
      }
    }
  });

  it('names its proof and, unless the refund leg gives it, its reason', () => {
    const failing = TRANSITIONS.filter((row) => row.to === 'failure');
    for (const row of failing) expect(row.evidence.length).toBeGreaterThan(0);
    const unnamed = failing.filter((row) => row.reasons.length === 0).map((row) => row.trigger);
    expect(unnamed.sort()).toEqual(['nothingOwed', 'refundHeld']);
    for (const row of TRANSITIONS) if (row.to !== 'failure') expect(row.evidence).toEqual([]);
  });

  it('cannot be asked for without proof by a caller that names its trigger', () => {
    // @ts-expect-error proof is missing
    expect(transition('pending', 'notIncluded').ok).toBe(false);
    // @ts-expect-error a time-out proves nothing about what we sent
    expect(transition('pending', 'notIncluded', undefined, proofs.timeout).ok).toBe(false);
    expect(transition('pending', 'notIncluded', undefined, { kind: 'keyClosed', key: '1' }).ok).toBe(true);
    expect(transition('pending', 'fillSent')).toEqual({ ok: true, to: 'submitted' });
  });
});

it('any sequence of triggers stays inside the table', () => {
  const allowed = new Set(EXPECTED);
  const step = fc.tuple(fc.constantFrom(...triggers), fc.constantFrom(...guards), fc.constantFrom(...evidence));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let status: RequestStatus = 'waiting';
      for (const [trigger, guard, proof] of steps) {
        const moved: Transition = transition(status, trigger as Trigger, guard, proof);
        if (!moved.ok) continue;
        expect(allowed).toContain(`${status} ${trigger}${guard === undefined ? '' : `/${guard}`} -> ${moved.to}`);
        status = moved.to;
      }
    }),
  );
});

it('core/docs/transitions.md is what the table says', async () => {
  await expect(transitionsMarkdown()).toMatchFileSnapshot(
    fileURLToPath(new URL('../../docs/transitions.md', import.meta.url)),
  );
});
