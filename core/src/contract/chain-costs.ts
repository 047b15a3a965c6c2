import type { Hex, OrderId, UnixMs } from './ids.js';
import type { CoinBeside, SwapOutput } from './legs.js';

/** One movement, priced: native coin it will cost to execute with the configured buffer, smallest unit. */
export interface CostEstimate {
  readonly native: bigint;
  /**
   * Part of `native` that an account which the movement opens for its recipient locks up: 0 where the recipient is known to
   * have one, absent where no account has to be opened for anybody.
   */
  readonly rent?: bigint;
  /** Share of what is moved that its currency keeps of every transfer, hundredths of a per cent; absent: none. */
  readonly keptBps?: number;
  /**
   * Work that `native` pays for, in the chain's own unit (gas), where a recipient can make a movement take more of it: `check`
   * is told of it and allows no more. Absent: nobody but the service decides what a movement takes.
   */
  readonly work?: bigint;
  /** Most that one transaction for it may cost at the fees of now, which is what its signer must hold. Absent: `native`. */
  readonly most?: bigint;
  readonly at: UnixMs;
}

/** A fill as a quote asks about it, before there is an order. */
export interface FillWish {
  readonly currency: string;
  /** Smallest unit. */
  readonly amount: bigint;
  /** Canonical address. */
  readonly recipient: string;
  /** Calls to make with what is delivered, as `DestinationCalls.encode` gave them; only where the chain has that capability. */
  readonly calls?: readonly Hex[];
  /**
   * Name of the way on which the calls exchange what is delivered, where a liquidity source that holds its own limits wrote all
   * of them: fills on one way take the same work for every recipient without code, so that a trial may be remembered for a
   * moment. Absent: every fill is tried.
   */
  readonly way?: string;
  /** Id to try the calls under, where they name the account that makes them; absent: any. No order has it. */
  readonly orderId?: OrderId;
  /** What the calls must bring, as in `FillLeg.wanted`. */
  readonly wanted?: SwapOutput;
  /** Native coin for the calls to spend beside a token, as in `FillLeg.coin`. */
  readonly coin?: Pick<CoinBeside, 'amount'>;
  /** In effect before the calls, as `Authorizations.read` gave them; only with calls. */
  readonly authorizations?: readonly Hex[];
  /** Most work of the calls themselves, in the chain's own unit; absent: what they are found to take. */
  readonly callsWork?: bigint;
}

/** Whom a question to a chain is for, where nobody has paid for it. */
export interface Asker {
  /** As limits tell callers apart. Parties have shares of what is asked for all of them. */
  readonly party: string;
  /** Aborts once no caller waits for the answer: what is under way for it ends. */
  readonly signal: AbortSignal;
}

/** Why a fill cannot be made, whatever the solver holds. Nothing in it hangs on who asks. */
export type FillRefusal =
  /** What is paid there is lost, or is no payment. */
  | { readonly why: 'recipient'; readonly message: string }
  /** No recipient can be paid in it, such as a token that never delivers the whole of what is sent. */
  | { readonly why: 'currency'; readonly message: string }
  /** `least`: the smallest amount that the recipient can be paid, in the currency's smallest unit. */
  | { readonly why: 'amount'; readonly least: bigint; readonly message: string };
