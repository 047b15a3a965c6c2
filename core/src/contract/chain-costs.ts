import type { Hex, OrderId, UnixMs } from './ids.js';
import type { CoinBeside, SwapOutput } from './legs.js';

/** Native coin that one movement costs, with the configured buffer, smallest unit. */
export interface CostEstimate {
  readonly native: bigint;
  /**
   * Part of `native` locked up by an account that has to be opened for the recipient. 0: the recipient has one.
   * Absent: no account is ever needed.
   */
  readonly rent?: bigint;
  /** Transfer fee of the currency in basis points; absent: none. */
  readonly keptBps?: number;
  /**
   * Work that `native` pays for, in the chain's unit (gas), if the recipient can influence it: `check` then allows no
   * more. Absent: only the service determines the work.
   */
  readonly work?: bigint;
  /** Most that one such transaction may cost at current fees, which its signer must hold. Absent: `native`. */
  readonly most?: bigint;
  readonly at: UnixMs;
}

/** A fill to be quoted, before an order exists. */
export interface FillWish {
  readonly currency: string;
  /** Smallest unit. */
  readonly amount: bigint;
  /** Canonical address. */
  readonly recipient: string;
  /** Calls from `DestinationCalls.encode`; only with that capability. */
  readonly calls?: readonly Hex[];
  /**
   * Name of the swap route, if a liquidity source that enforces its own limits built all of the calls. Fills on one
   * route take the same work for every recipient without code, so a simulation may be cached briefly. Absent: every
   * fill is simulated.
   */
  readonly way?: string;
  /** Order id for the simulation, if the calls name the account that makes them; absent: any id that no order has. */
  readonly orderId?: OrderId;
  /** As `FillLeg.wanted`. */
  readonly wanted?: SwapOutput;
  /** As `FillLeg.coin`, the native coin for calls of a token fill. */
  readonly coin?: Pick<CoinBeside, 'amount'>;
  /** As `FillLeg.authorizations`; only with calls. */
  readonly authorizations?: readonly Hex[];
  /** Upper bound of the calls' own work, in the chain's unit; absent: as simulated. */
  readonly callsWork?: bigint;
}

/** The caller behind a chain query that no payment backs. */
export interface Asker {
  /** Identity used by rate limits. Each party has a share of the capacity for queries. */
  readonly party: string;
  /** Aborts when no caller waits any more; pending work for the query then ends. */
  readonly signal: AbortSignal;
}

/** Why a fill is impossible whatever the solver holds. Independent of the asker. */
export type FillRefusal =
  /** A payment to this recipient is lost, or has no effect. */
  | { readonly why: 'recipient'; readonly message: string }
  /** No recipient can be paid in it, for example a token that never delivers the full amount. */
  | { readonly why: 'currency'; readonly message: string }
  /** `least`: smallest amount that this recipient can be paid, smallest unit. */
  | { readonly why: 'amount'; readonly least: bigint; readonly message: string };
