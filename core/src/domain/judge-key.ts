import type { KeyEvidence, LegEffect } from '../contract/legs.js';
import type { OpenKey } from '../contract/store.js';
import type { LegRow } from '../contract/store-rows.js';
import { factsOf } from './leg-facts.js';
import { rides } from './riders.js';

export interface KeyPolicy {
  readonly now: number;
  readonly head: number;
  readonly bumpAfterBlocks: number;
  readonly inclusionWindowMs: number;
  /** Least time between sends of the same bytes. */
  readonly resendMs: number;
  /** The chain's own clock, for deadlines. */
  readonly chainNow: number;
  /** Only the first open keys of a lane are bumped: the ones behind wait for them anyway. */
  readonly mayReplace: boolean;
}

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

export type KeyAction =
  | { readonly do: 'nothing' }
  /** Send the newest bytes again. */
  | { readonly do: 'resend' }
  /** Sign the same legs under the same key with a higher fee, leaving out legs whose deadline has passed. */
  | { readonly do: 'bump' }
  /** Sign a no-op under the same key, so that it ends one way or the other. */
  | { readonly do: 'close' }
  /** The attempt was included and is not any more: reverse its postings, send the same bytes again. */
  | { readonly do: 'dropped' }
  /** One of ours is on the chain, at a place not recorded yet or now final. */
  | { readonly do: 'landed'; readonly evidence: Spent }
  /** Spent, finally, by something else: nothing of ours can ever land under it. */
  | { readonly do: 'lost' };

/**
 * What to do about an open single-use key, given what the chain proves.
 *
 * Invariant (G7): a key ends only on final proof. Absence of evidence leads at most to another send under the same
 * key, never to another key.
 */
export function judgeKey(open: OpenKey, evidence: KeyEvidence, policy: KeyPolicy): KeyAction {
  switch (evidence.state) {
    case 'unknown':
      return { do: 'nothing' };
    case 'spentByOther':
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
  const riders = open.legs.filter((leg) => rides(leg, open.legs));
  const moving = newest.legIds.filter((id) => !riders.some((leg) => leg.id === id));
  const expired = moving.filter((id) => open.legs.some((leg) => leg.id === id && isExpired(leg, policy)));
  const allExpired = expired.length > 0 && expired.length === moving.length;
  // Whoever keeps it out of the pools may do so for good, and what is behind it would wait.
  const barred = newest.state === 'barred';
  if (!key.closing && (windowOver || allExpired || barred) && policy.mayReplace) return { do: 'close' };
  const waited = policy.head - (key.lastSentHeight ?? policy.head);
  // Where others share its transaction, a fill that is too late is left out of the next one.
  const patience = expired.length > 0 ? Math.min(1, policy.bumpAfterBlocks) : policy.bumpAfterBlocks;
  if (waited >= patience && policy.mayReplace) return { do: 'bump' };
  return !inPool && idle ? { do: 'resend' } : { do: 'nothing' };
}

/** A fill that is signed and past the deadline of its order. */
export function isExpired(leg: LegRow, { chainNow }: Pick<KeyPolicy, 'chainNow'>): boolean {
  return factsOf(leg).delivers && leg.state === 'bound' && leg.deadlineAt !== null && chainNow > leg.deadlineAt;
}

/**
 * Whether the newest bytes may be sent again. Bytes that were just signed are still being sent by the process that signed
 * them; older bytes outlived that process. A time in the future comes from a clock that was ahead, or ours went back: such a
 * time proves nothing.
 */
export function isIdle({ key, attempts }: OpenKey, { now, resendMs }: Pick<KeyPolicy, 'now' | 'resendMs'>): boolean {
  const since = now - Math.max(key.lastSentAt ?? 0, attempts.at(-1)?.signedAt ?? 0);
  return since < 0 || since >= resendMs;
}

/**
 * Whether exactly this is in the books. A provider may first tell the same transaction in the same block otherwise, so
 * what it did is compared, not only where it is.
 */
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
