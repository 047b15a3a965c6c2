import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttemptRow, KeyEvidence, KeyRow, LegRow, OpenKey } from '../../src/contract/index.js';
import { judgeKey, type KeyPolicy } from '../../src/domain/judge-key.js';
import { attemptRow, keyRow, legRow } from '../../src/testing/store-fixtures.js';

const SENT = 1_000_000;

/** Window 20 s, resend after 1 s, bump after 3 blocks; judged 500 ms after the send, at the same head. */
const POLICY: KeyPolicy = {
  now: SENT + 500,
  head: 100,
  bumpAfterBlocks: 3,
  inclusionWindowMs: 20_000,
  resendMs: 1_000,
  chainNow: SENT + 500,
  mayReplace: true,
};

const KEY = { firstSentAt: SENT, lastSentAt: SENT, lastSentHeight: 100, createdAt: SENT };
function recorded(...movements: readonly { legId: string; moved: string; arrived?: string }[]): string {
  return JSON.stringify({ hash: '0xa', blockId: 'x', movements });
}

const INCLUDED = { includedHash: '0xa', includedHeight: 90, inclusion: recorded() };
const LEG: Partial<LegRow> = { state: 'bound', deadlineAt: SENT + 600_000 };

function open(key: Partial<KeyRow> = {}, attempt: Partial<AttemptRow> = {}, leg: Partial<LegRow> = {}): OpenKey {
  const row = legRow(1, { ...LEG, ...leg });
  return {
    key: keyRow(1, { ...KEY, ...key }),
    attempts: [{ ...attemptRow(1, { state: 'sent', signedAt: SENT, sentAt: SENT, ...attempt }), legIds: [row.id] }],
    legs: [row],
  };
}

function shared(leg: Partial<LegRow>, newest = 2): OpenKey {
  const one = open({}, {}, leg);
  const legs = [...one.legs, legRow(2, LEG)];
  const carried = legs.slice(2 - newest).map(({ id }) => id);
  return { ...one, legs, attempts: one.attempts.map((attempt) => ({ ...attempt, legIds: carried })) };
}

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

function spent(overrides: Partial<Spent> = {}): Spent {
  const block = { height: 90, id: 'x', timestamp: SENT };
  return {
    state: 'spent',
    hash: '0xa',
    ok: true,
    block,
    final: false,
    fee: 1n,
    feePaidBy: { pot: 'lane', owner: 'filler' },
    effects: [],
    ...overrides,
  };
}

const unspent = (inPool: boolean): KeyEvidence => ({ state: 'unspent', inPool });
const act = (key: OpenKey, evidence: KeyEvidence, policy: Partial<KeyPolicy> = {}) =>
  judgeKey(key, evidence, { ...POLICY, ...policy }).do;

describe('a key that is spent', () => {
  it('by one of the service has landed, until that is recorded at that very place', () => {
    expect(act(open(), spent())).toBe('landed');
    expect(act(open(INCLUDED), spent())).toBe('nothing');
    expect(act(open(INCLUDED), spent({ hash: '0xb' }))).toBe('landed');
    expect(act(open(INCLUDED), spent({ block: { height: 90, id: 'y', timestamp: SENT } }))).toBe('landed');
  });

  it('by one of the service has landed once more when what it did is reported otherwise', () => {
    const effects = [{ legId: 'leg', done: true, moved: 5n }];
    const same = { ...INCLUDED, inclusion: recorded({ legId: 'leg', moved: '5' }) };
    expect(act(open(same), spent({ effects }))).toBe('nothing');
    expect(act(open(INCLUDED), spent({ effects }))).toBe('landed');
    expect(act(open(same), spent({ ok: false, effects: [{ legId: 'leg', done: false, moved: 0n }] }))).toBe('landed');
    expect(act(open(same), spent({ effects: [{ legId: 'leg', done: true, moved: 6n }] }))).toBe('landed');
    const less = { ...INCLUDED, inclusion: recorded({ legId: 'leg', moved: '5', arrived: '4' }) };
    const taxed = spent({ effects: [{ legId: 'leg', done: true, moved: 5n, arrived: 4n }] });
    expect(act(open(less), taxed)).toBe('nothing');
    expect(act(open(same), taxed)).toBe('landed');
    expect(act(open(less), spent({ effects }))).toBe('landed');
  });

  it('by one of the service has landed once more when that becomes final', () => {
    expect(act(open(INCLUDED), spent({ final: true }))).toBe('landed');
    expect(act(open(INCLUDED), spent({ final: true, ok: false }))).toBe('landed');
  });

  it('by something else is lost only permanently', () => {
    expect(act(open(), { state: 'spentByOther', final: false })).toBe('nothing');
    expect(act(open(INCLUDED), { state: 'spentByOther', final: false })).toBe('dropped');
    expect(act(open(), { state: 'spentByOther', final: true })).toBe('lost');
    expect(act(open(INCLUDED), { state: 'spentByOther', final: true })).toBe('lost');
  });
});

describe('a key that is not spent', () => {
  it('and was, is dropped, whatever else is due', () => {
    expect(act(open(INCLUDED), unspent(true), { now: SENT + 100_000, head: 200 })).toBe('dropped');
  });

  it('is left alone while it waits in a pool', () => {
    expect(act(open(), unspent(true), { now: SENT + 20_000, head: 102 })).toBe('nothing');
  });

  it('is sent again when no pool has it, not sooner than after a pause', () => {
    expect(act(open(), unspent(false), { now: SENT + 999 })).toBe('nothing');
    expect(act(open(), unspent(false), { now: SENT + 1_000 })).toBe('resend');
  });

  it('and never sent, is left to any client that signed it, then sent', () => {
    const signed = open({ firstSentAt: null, lastSentAt: null, lastSentHeight: null }, { state: 'signed' });
    expect(act(signed, unspent(false), { now: SENT + 999 })).toBe('nothing');
    expect(act(signed, unspent(false), { now: SENT + 1_000 })).toBe('resend');
    expect(act(signed, unspent(false), { now: SENT + 100_000 })).toBe('resend');
  });

  it('and was sent at a time that is yet to come, as by a clock that was ahead, is not left alone until then', () => {
    const hour = 3_600_000;
    expect(act(open({}, { state: 'signed' }), unspent(false), { now: SENT - hour })).toBe('resend');
    expect(act(open(), unspent(false), { now: SENT - 5_000 })).toBe('resend');
    expect(act(open(), unspent(true), { now: SENT - hour })).toBe('close');
  });

  it('is bumped after so many blocks, where it may be', () => {
    expect(act(open(), unspent(true), { head: 102 })).toBe('nothing');
    expect(act(open(), unspent(true), { head: 103 })).toBe('bump');
    expect(act(open(), unspent(true), { head: 103, mayReplace: false })).toBe('nothing');
  });

  it('is closed one millisecond past its window', () => {
    expect(act(open(), unspent(true), { now: SENT + 20_000 })).toBe('nothing');
    expect(act(open(), unspent(true), { now: SENT + 20_001 })).toBe('close');
    expect(act(open(), unspent(true), { now: SENT + 20_001, mayReplace: false })).toBe('nothing');
  });

  it('is closed past its window also when no one ever took it', () => {
    const refused = open({ firstSentAt: null }, { state: 'rejected', sentAt: null });
    expect(act(refused, unspent(false), { now: SENT + 20_001 })).toBe('close');
  });

  it('is closed once its fill is past the deadline by the clock of its chain', () => {
    const leg = { deadlineAt: SENT + 2_000 };
    expect(act(open({}, {}, leg), unspent(true), { chainNow: SENT + 2_000 })).toBe('nothing');
    expect(act(open({}, {}, leg), unspent(true), { chainNow: SENT + 2_001 })).toBe('close');
    expect(act(open({}, {}, { ...leg, kind: 'refund' }), unspent(true), { chainNow: SENT + 2_001 })).toBe('nothing');
  });

  it('is replaced without a fill past its deadline where another one shares its transaction', () => {
    const leg = { deadlineAt: SENT + 2_000 };
    const late = { chainNow: SENT + 2_001 };
    expect(act(shared(leg), unspent(true), late)).toBe('nothing');
    expect(act(shared(leg), unspent(true), { ...late, head: 101 })).toBe('bump');
    expect(act(shared({}), unspent(true), { ...late, head: 101 })).toBe('nothing');
    // A left-out fill is unaffected.
    expect(act(shared(leg, 1), unspent(true), { ...late, head: 101 })).toBe('nothing');
  });

  it('and is being closed already, only bumps its no-op', () => {
    expect(act(open({ closing: true }), unspent(true), { now: SENT + 50_000 })).toBe('nothing');
    expect(act(open({ closing: true }), unspent(true), { now: SENT + 50_000, head: 103 })).toBe('bump');
  });
});

describe('a key of which nothing is known', () => {
  it('is left alone, whatever is due', () => {
    for (const key of [open(), open(INCLUDED), open({}, { state: 'signed' })])
      expect(act(key, { state: 'unknown', why: 'no provider' }, { now: SENT + 1e9, head: 1e6 })).toBe('nothing');
  });
});

describe('any key', () => {
  const state = fc.constantFrom<AttemptRow['state']>('signed', 'sent', 'rejected', 'indeterminate', 'included');
  const evidence = fc.oneof(
    fc.constant<KeyEvidence>({ state: 'unknown', why: '' }),
    fc.boolean().map(unspent),
    fc.boolean().map((final): KeyEvidence => ({ state: 'spentByOther', final })),
    fc
      .record({ ok: fc.boolean(), final: fc.boolean(), hash: fc.constantFrom('0xa', '0xb') })
      .map((given) => spent(given)),
  );
  const ms = fc.integer({ min: 0, max: 60_000 });

  it('ends only on final evidence, is replaced only while unspent, and closes only past a window or deadline', () => {
    fc.assert(
      fc.property(
        fc.record({
          state,
          evidence,
          included: fc.boolean(),
          closing: fc.boolean(),
          sent: fc.boolean(),
          waited: ms,
          deadline: ms,
          blocks: fc.integer({ min: -5, max: 10 }),
          mayReplace: fc.boolean(),
        }),
        (given) => {
          const key = open(
            { ...(given.included ? INCLUDED : {}), closing: given.closing, firstSentAt: given.sent ? SENT : null },
            { state: given.state },
            { deadlineAt: SENT + given.deadline },
          );
          const now = SENT + given.waited;
          const policy = { now, chainNow: now, head: 100 + given.blocks, mayReplace: given.mayReplace };
          const action = act(key, given.evidence, policy);
          const seen = given.evidence;
          if (action === 'lost') expect(seen).toEqual({ state: 'spentByOther', final: true });
          if (action === 'landed') expect(seen.state).toBe('spent');
          if (action === 'dropped')
            expect(given.included && seen.state !== 'spent' && seen.state !== 'unknown').toBe(true);
          if (['bump', 'close', 'resend'].includes(action)) {
            expect(seen.state).toBe('unspent');
            expect(given.included).toBe(false);
          }
          if (action === 'bump' || action === 'close') expect(given.mayReplace).toBe(true);
          if (action === 'close') {
            expect(given.waited > 20_000 || given.waited > given.deadline).toBe(true);
            expect(given.closing).toBe(false);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
