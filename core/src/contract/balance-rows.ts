import type { ChainId, RequestId, UnixMs } from './ids.js';

/** What an integrator pays of one request. Written by its reservation, ended once. */
export interface SponsorshipRow {
  /** Derived from request, integrator and amount, so that only this reservation can be ended. */
  readonly id: string;
  readonly version: number;
  /** Unique. */
  readonly requestId: RequestId;
  readonly integratorId: string;
  /** Reserved, micro-USD. */
  readonly amount: bigint;
  /** Taken from the balance, micro-USD, at most `amount`. Null: reserved. */
  readonly taken: bigint | null;
  /** json: names of the counters of the key's policy that contain its amount. Null: none. */
  readonly counters: string | null;
  readonly createdAt: UnixMs;
  readonly endedAt: UnixMs | null;
}

/** What a key may sponsor. Absent: as much as the balance has. */
export interface SponsorPolicyRow {
  /** Of the API key. */
  readonly id: string;
  readonly version: number;
  /** json: SponsorPolicy of domain/sponsor-policy.ts. */
  readonly policy: string;
  readonly updatedAt: UnixMs;
}

/** One change of an app balance. Written once. */
export interface BalanceEventRow {
  /** Group id of its posting. */
  readonly id: string;
  readonly integratorId: string;
  /** `credit` and `debit` are an operator's. */
  readonly kind: 'deposit' | 'sponsorship' | 'credit' | 'debit' | 'withdrawal';
  /** Micro-USD; negative: taken. */
  readonly amount: bigint;
  readonly requestId: RequestId | null;
  /** Chain of the currency that was paid in or out; null: none was. */
  readonly chainId: ChainId | null;
  readonly currency: string | null;
  readonly transactionHash: string | null;
  /** An operator's words. */
  readonly reason: string | null;
  readonly createdAt: UnixMs;
}

/** Only matching events. */
export type BalanceEventFilter = Partial<Pick<BalanceEventRow, 'kind' | 'requestId' | 'chainId' | 'currency'>>;
