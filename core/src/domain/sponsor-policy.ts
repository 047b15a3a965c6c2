import type { ChainId, UnixMs } from '../contract/ids.js';

/** Limits of one API key, micro-USD. Absent fields set none. */
export interface SponsorPolicy {
  readonly maxPerCall?: bigint;
  /** Of one user, in a day of UTC, as the two below. */
  readonly maxPerUser?: bigint;
  readonly maxPerDay?: bigint;
  readonly maxPerMonth?: bigint;
  /** Nothing is sponsored from then on. */
  readonly expiresAt?: UnixMs;
  /** Only calls to these are sponsored. */
  readonly targets?: readonly PolicyTarget[];
}

export interface PolicyTarget {
  readonly chainId: ChainId;
  /** Canonical. */
  readonly address: string;
  /** 4 bytes each, lower case with `0x`. Absent: every call. */
  readonly selectors?: readonly string[];
}

export interface SponsoredCall {
  readonly chainId: ChainId;
  /** Canonical. */
  readonly to: string;
  /** Hex with `0x`. */
  readonly data: string;
}

export interface PolicyAsk {
  readonly now: UnixMs;
  /** To reserve, micro-USD. */
  readonly amount: bigint;
  readonly calls: readonly SponsoredCall[];
}

/** Sponsored or reserved so far, micro-USD. */
export interface PolicyUse {
  readonly day: bigint;
  readonly month: bigint;
  readonly user: bigint;
}

export type PolicyRule = keyof SponsorPolicy;

export interface PolicyRefusal {
  readonly rule: PolicyRule;
  readonly message: string;
}

/** What a policy refuses first, by the order of its rules here; null: nothing. Pure. */
export function judgePolicy(policy: SponsorPolicy, ask: PolicyAsk, use: PolicyUse): PolicyRefusal | null {
  const { expiresAt, targets, maxPerCall, maxPerUser, maxPerDay, maxPerMonth } = policy;
  if (expiresAt !== undefined && ask.now >= expiresAt) {
    return { rule: 'expiresAt', message: `the policy of the key expired at ${new Date(expiresAt).toISOString()}` };
  }
  const stranger = targets && ask.calls.find((call) => !targets.some((target) => allows(target, call)));
  if (stranger) {
    const { chainId, to, data } = stranger;
    return {
      rule: 'targets',
      message: `no target of the policy allows the call ${selectorOf(data)} of ${to} on chain ${chainId}`,
    };
  }
  if (maxPerCall !== undefined && ask.amount > maxPerCall) return over('maxPerCall', ask.amount, 0n, maxPerCall);
  const sums = [
    ['maxPerUser', use.user, maxPerUser],
    ['maxPerDay', use.day, maxPerDay],
    ['maxPerMonth', use.month, maxPerMonth],
  ] as const;
  for (const [rule, used, most] of sums)
    if (most !== undefined && used + ask.amount > most) return over(rule, ask.amount, used, most);
  return null;
}

function over(rule: PolicyRule, amount: bigint, used: bigint, most: bigint): PolicyRefusal {
  return { rule, message: `${rule} of the policy is ${most} micro-USD: ${used} are used, and this takes ${amount}` };
}

function allows({ chainId, address, selectors }: PolicyTarget, call: SponsoredCall): boolean {
  if (chainId !== call.chainId || address !== call.to) return false;
  return selectors === undefined || selectors.includes(selectorOf(call.data));
}

const SELECTOR_LENGTH = 10;

/** `0x` for a call without one. */
export function selectorOf(data: string): string {
  return data.length < SELECTOR_LENGTH ? '0x' : data.slice(0, SELECTOR_LENGTH).toLowerCase();
}
