import type { ChainId } from '../../contract/ids.js';
import type { PostingMark } from '../../contract/store.js';

/**
 * `volume`: of deposits that fills settled. `paid`: to recipients. `fees`, `spread`: of that volume, as quoted.
 * `gasCharged`: for the network fees of fills and claims. `gas`: network fees. `failed`: those of transactions without
 * effect. `reorged`: deposits that vanished after their fill. `appFees`: owed to integrators; `appFeesClaimed`: claimed by
 * them. `refundGas`: charged to refunds. `sponsored`: taken from app balances.
 */
export const MEASURES = [
  'volume',
  'paid',
  'fees',
  'spread',
  'gasCharged',
  'gas',
  'failed',
  'reorged',
  'appFees',
  'appFeesClaimed',
  'refunded',
  'refundGas',
  'transferFees',
  'sponsored',
  'inflow',
  'withdrawn',
] as const;

export type Measure = (typeof MEASURES)[number];

export interface ReportRow {
  /** UTC, `2026-11-28`. */
  readonly day: string;
  /** Of the request; null without one. */
  readonly originChainId: ChainId | null;
  readonly destinationChainId: ChainId | null;
  /** Of the amount; null for app balances, whose unit is a micro-USD. */
  readonly chainId: ChainId | null;
  readonly currency: string;
  readonly measure: Measure;
  /** Smallest unit. */
  readonly amount: bigint;
  /** Micro-USD, at the request's prices, else at those of the day. */
  readonly microUsd: bigint;
  /** Part of the amount that has no price. */
  readonly unpriced: bigint;
}

/** What the postings of the period add to an account of the books; per currency, all add up to zero. */
export interface ReportAccount {
  /** As `inventory`. */
  readonly kind: string;
  readonly chainId: ChainId | null;
  readonly currency: string;
  /** Smallest unit; positive: asset or expense. */
  readonly amount: bigint;
}

export interface ReportPart {
  readonly rows: readonly ReportRow[];
  readonly accounts: readonly ReportAccount[];
  /** Where the next part begins; undefined: this is the last one. */
  readonly next?: PostingMark;
}
