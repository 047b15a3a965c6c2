import type { Hex, OrderId, UnixMs } from './ids.js';
import type { FillTopUp, SwapOutput } from './legs.js';

/** Native coin for one movement, with the configured buffer, smallest unit. */
export interface CostEstimate {
  readonly native: bigint;
  /** Part of `native` locked up by the recipient's new account. 0: it has one. Absent: no accounts needed. */
  readonly rent?: bigint;
  /** Transfer fee of the currency in basis points; absent: none. */
  readonly transferFeeBps?: number;
  /**
   * Work that `native` pays for (gas), if the recipient can influence it: `check` then allows no more. Absent: only
   * the service determines it.
   */
  readonly work?: bigint;
  /** Maximum that one such transaction may cost at current fees, which its signer must hold. Absent: `native`. */
  readonly most?: bigint;
  readonly at: UnixMs;
}

export interface FillWish {
  readonly currency: string;
  /** Smallest unit. */
  readonly amount: bigint;
  /** Canonical address. */
  readonly recipient: string;
  /** Calls from `DestinationCalls.encode`; only with that capability. */
  readonly calls?: readonly Hex[];
  /**
   * Swap route, if a liquidity source that enforces its own limits built all calls. Its work is the same for every
   * recipient without code, so simulations may be cached briefly. Absent: always simulated.
   */
  readonly way?: string;
  /** Order id that the calls' account derives from; absent: any unused id. */
  readonly orderId?: OrderId;
  /** As `FillLeg.wanted`. */
  readonly wanted?: SwapOutput;
  /** As `FillLeg.topUp`, the native coin for calls of a token fill. */
  readonly topUp?: Pick<FillTopUp, 'amount'>;
  /** As `FillLeg.authorizations`; only with calls. */
  readonly authorizations?: readonly Hex[];
  /** Upper bound of the calls' own work, in the chain's unit; absent: as simulated. */
  readonly callsWork?: bigint;
}

export interface Asker {
  /** Identity for rate limits. */
  readonly party: string;
  /** Networks that contain the party, the narrowest first. Absent: none. */
  readonly crowds?: readonly string[];
  /** Aborts when no caller waits any more. */
  readonly signal: AbortSignal;
}

/** Why a fill is impossible whatever the solver holds, for any asker. */
export type FillRefusal =
  | { readonly why: 'recipient'; readonly message: string }
  /** No one can be paid in it, for example because it never delivers the full amount. */
  | { readonly why: 'currency'; readonly message: string }
  /** `least`: smallest amount that this recipient can be paid, smallest unit. */
  | { readonly why: 'amount'; readonly least: bigint; readonly message: string };
