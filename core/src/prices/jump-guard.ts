import { isWithin } from './agree.js';

export interface JumpRules {
  readonly jumpBps: bigint;
  /** Providers that must agree on a larger one. */
  readonly jumpQuorum: number;
  /** A larger change that lasts this long is accepted without them; 0: never. Milliseconds. */
  readonly jumpHoldMs: number;
}

/** An agreed price, not accepted yet. */
export interface Candidate {
  readonly price: bigint;
  readonly voices: number;
  /** Monotonic time of its newest report. */
  readonly heard: number;
}

export interface JumpState {
  readonly accepted?: bigint;
  /** A pending jump: latest price, and monotonic time of its first report. */
  readonly held?: { readonly price: bigint; readonly since: number };
}

/**
 * The first price of a process is always accepted, for lack of a reference. A pending jump must be reported
 * repeatedly, near its value, for `jumpHoldMs`: one wrong report is never accepted by age.
 */
export function judgeJump(state: JumpState, candidate: Candidate, rules: JumpRules): JumpState {
  const { price, voices, heard } = candidate;
  const { accepted, held } = state;
  if (accepted === undefined || isWithin(price, accepted, rules.jumpBps)) return { accepted: price };
  if (voices >= rules.jumpQuorum) return { accepted: price };
  if (held === undefined || !isWithin(price, held.price, rules.jumpBps)) {
    return { accepted, held: { price, since: heard } };
  }
  const lasted = rules.jumpHoldMs > 0 && /* guard: price-jumps */ heard - held.since >= rules.jumpHoldMs;
  return lasted ? { accepted: price } : { accepted, held: { price, since: held.since } };
}
