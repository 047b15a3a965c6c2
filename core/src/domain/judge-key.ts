import type { KeyEvidence, LegEffect } from '../contract/legs.js';
import type { OpenKey } from '../contract/store.js';
import type { LegRow } from '../contract/store-rows.js';
import { factsOf } from './leg-facts.js';
import { isPaidWithFill } from './top-up-legs.js';

export interface KeyPolicy {
  readonly now: number;
  readonly head: number;
  readonly bumpAfterBlocks: number;
  readonly inclusionWindowMs: number;
  readonly resendMs: number;
  /** The chain's own clock, for deadlines. */
  readonly chainNow: number;
  /** Only a lane's first open keys are bumped: later ones wait for them anyway. */
  readonly mayReplace: boolean;
}

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

export type KeyAction =
  | { readonly do: 'nothing' }
  | { readonly do: 'resend' }
  | { readonly do: 'bump' }
  | { readonly do: 'close' }
  /** A reorg dropped the included attempt: reverse its postings, send the same bytes again. */
  | { readonly do: 'dropped' }
  /** An attempt is on the chain, at a place not recorded yet or now final. */
  | { readonly do: 'landed'; readonly evidence: Spent }
  /** Finally spent by a foreign transaction: no attempt can land under it. */
  | { readonly do: 'lost' };

/**
 * Invariant (G7): a key ends only on final proof. Absence of evidence leads at most to another send under the same
 * key, never to another key.
 */
export function judgeKey(open: OpenKey, evidence: KeyEvidence, policy: KeyPolicy): KeyAction {
  switch (evidence.state) {
    case 'unknown':
      return { do: 'nothing' };
    case 'spentByOther':
      // guard: lost-only-when-final
      return evidence.final ? { do: 'lost' } : open.key.includedHash === null ? { do: 'nothing' } : { do: 'dropped' };
    case 'spent':
      return isRecorded(open.key.inclusion, evidence) && !evidence.final
        ? { do: 'nothing' }
        : { do: 'landed', evidence };
    case 'unspent':
      return open.key.includedHash === null ? unspent(open, evidence.inPool, policy) : { do: 'dropped' };
  }
}

function unspent(open: OpenKey, inPool: boolean, policy: KeyPolicy): KeyAction {
  const { key } = open;
  const newest = open.attempts.at(-1);
  if (!newest) return { do: 'nothing' };
  const idle = isIdle(open, policy);
  if (newest.state === 'signed') return idle ? { do: 'resend' } : { do: 'nothing' };
  const out = policy.now - (key.firstSentAt ?? key.createdAt);
  const windowOver = Math.abs(out) > policy.inclusionWindowMs;
  const innerTopUps = open.legs.filter((leg) => isPaidWithFill(leg, open.legs));
  const moving = newest.legIds.filter((id) => !innerTopUps.some((leg) => leg.id === id));
  const expired = moving.filter((id) => open.legs.some((leg) => leg.id === id && isExpired(leg, policy)));
  const allExpired = expired.length > 0 && expired.length === moving.length;
  // A third party may block it for ever, and with it everything behind it.
  const barred = /* guard: barred-fills */ newest.state === 'barred';
  if (!key.closing && (windowOver || allExpired || barred) && policy.mayReplace) return { do: 'close' };
  const waited = policy.head - (key.lastSentHeight ?? policy.head);
  // If several legs share the transaction, its replacement omits expired fills.
  const patience = expired.length > 0 ? Math.min(1, policy.bumpAfterBlocks) : policy.bumpAfterBlocks;
  if (waited >= patience && policy.mayReplace) return { do: 'bump' };
  return !inPool && idle ? { do: 'resend' } : { do: 'nothing' };
}

export function isExpired(leg: LegRow, { chainNow }: Pick<KeyPolicy, 'chainNow'>): boolean {
  return factsOf(leg).delivers && leg.state === 'bound' && leg.deadlineAt !== null && chainNow > leg.deadlineAt;
}

/**
 * The process that signed recent bytes is still sending them; older bytes may be orphaned. A time in the future
 * (clock changes) proves nothing.
 */
export function isIdle({ key, attempts }: OpenKey, { now, resendMs }: Pick<KeyPolicy, 'now' | 'resendMs'>): boolean {
  const since = now - Math.max(key.lastSentAt ?? 0, attempts.at(-1)?.signedAt ?? 0);
  return since < 0 || since >= resendMs;
}

/** Compares effects as well as the block, because a provider may at first report the same transaction differently. */
export function isRecorded(inclusion: string | null, evidence: Spent): boolean {
  if (inclusion === null) return false;
  const { hash, blockId, movements } = JSON.parse(inclusion) as RecordedInclusion;
  if (hash !== evidence.hash || blockId !== evidence.block.id) return false;
  const done = evidence.effects.filter((effect) => effect.done);
  return movements.length === done.length && done.every((effect) => movements.some((one) => isSame(one, effect)));
}

function isSame(
  recorded: RecordedInclusion['movements'][number],
  { legId, moved, arrived = moved }: LegEffect,
): boolean {
  const { moved: left, arrived: came = left } = recorded;
  return recorded.legId === legId && left === moved.toString() && came === arrived.toString();
}

interface RecordedInclusion {
  readonly hash: string;
  readonly blockId: string;
  readonly movements: readonly { readonly legId: string; readonly moved: string; readonly arrived?: string }[];
}
