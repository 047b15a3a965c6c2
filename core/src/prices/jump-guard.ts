import { isWithin } from './agree.js';

export interface JumpRules {
  /** Largest change against the last accepted price that needs nobody's confirmation, basis points. */
  readonly jumpBps: bigint;
  /** Providers that must agree on a larger one. */
  readonly jumpQuorum: number;
  /** A larger one that lasted so long is believed without them; 0: never. Milliseconds. */
  readonly jumpHoldMs: number;
}

/** A price that several providers agree on, before it is believed. */
export interface Candidate {
  readonly price: bigint;
  /** Providers that agree on it. */
  readonly voices: number;
  /** Monotonic time of the newest word in it. */
  readonly heard: number;
}

export interface JumpState {
  /** Last price that was believed, however old. */
  readonly accepted?: bigint;
  /** A jump that waits: its latest price, and the monotonic time of the word that began it. */
  readonly held?: { readonly price: bigint; readonly since: number };
}

/**
 * Whether a candidate is believed. The first price of a process is: there is nothing to hold it against.
 *
 * A jump that waits must be told again, and again near where it was, for `jumpHoldMs`: one wrong word that is merely
 * kept in memory never ripens.
 */
export function judgeJump(state: JumpState, candidate: Candidate, rules: JumpRules): JumpState {
  const { price, voices, heard } = candidate;
  const { accepted, held } = state;
  if (accepted === undefined || isWithin(price, accepted, rules.jumpBps)) return { accepted: price };
  if (voices >= rules.jumpQuorum) return { accepted: price };
  if (held === undefined || !isWithin(price, held.price, rules.jumpBps)) {
    return { accepted, held: { price, since: heard } };
  }
  const lasted = rules.jumpHoldMs > 0 && heard - held.since >= rules.jumpHoldMs;
  return lasted ? { accepted: price } : { accepted, held: { price, since: held.since } };
}
