import type { ChainId, RequestId, UnixMs } from './ids.js';

/** What an integrator pays of one request. Written by its reservation, ended once. */
export interface SponsorshipRow {
  /** Of the request. */
  readonly id: RequestId;
  readonly version: number;
  readonly integratorId: string;
  /** Reserved, micro-USD. */
  readonly amount: bigint;
  /** Taken from the balance, micro-USD, at most `amount`. Null: reserved. */
  readonly taken: bigint | null;
  readonly createdAt: UnixMs;
  readonly endedAt: UnixMs | null;
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
  /** Of the currency that was paid in or out; null: none was. */
  readonly chainId: ChainId | null;
  readonly currency: string | null;
  readonly transactionHash: string | null;
  /** An operator's words. */
  readonly reason: string | null;
  readonly createdAt: UnixMs;
}
