import type { Asker, CostEstimate, FillRefusal, FillWish } from './chain-costs.js';
import type { UnixMs } from './ids.js';
import type { LegCheck, LegKind, PotRef } from './legs.js';

/** A value read in the background, with its age. */
export interface Aged<T> {
  readonly value: T;
  readonly at: UnixMs;
}

/** Health of a chain as seen by its background refreshers. */
export interface ChainStatus {
  readonly healthy: boolean;
  /** Why it is unhealthy, for operators. */
  readonly reason: string | null;
  readonly head: Aged<number> | null;
}

/** Chain state refreshed in the background, and balances read on request. */
export interface ChainState {
  status(): ChainStatus;
  /**
   * The service's cost of one leg, buffered. Undefined before the first fee sample or once it is too old.
   *
   * @param recipient canonical address. The cost includes an account that has to be, or may have to be, opened for
   * it. Absent: no account has to be opened.
   */
  legCost(kind: LegKind, currency: string, recipient?: string): CostEstimate | undefined;
  /**
   * Why `check` would refuse such a fill in any state of the chain: invalid recipient, or amount below the chain's
   * minimum. Used before a promise. Absent: nothing is known beforehand. Warm.
   */
  refuseFill?(wish: FillWish): FillRefusal | undefined;
  /**
   * Why funds sent to the account would be unspendable, by current chain state: it is a program, or a token account
   * of another account. Undefined: no objection, or unknown now; `check` looks again before a fill. Absent:
   * `refuseAddress` is all there is. Rejects on infrastructure failure.
   */
  refuseAccount?(address: string): Promise<string | undefined>;
  /**
   * Minimum balance, smallest unit, that a paying account must retain unless it is emptied. Undefined or absent:
   * none, or not known yet. Warm.
   */
  leastLeft?(currency: string): bigint | undefined;
  /**
   * Cost of a fill whose recipient influences it, such as a contract paid in native coin: simulated from the lane's
   * signer at the fees of the fill. A refusal is the chain's proof that the recipient cannot be paid. Cached for
   * known recipients. Undefined or absent: use `legCost`. Uses none of the capacity of payments. Rejects on
   * infrastructure failure.
   */
  fillCost?(wish: FillWish, asker?: Asker): Promise<CostEstimate | Extract<LegCheck, { ok: false }> | undefined>;
  /**
   * Buffered native cost of this much work in a lane's transaction, in the unit of `SwapQuote.work`. Undefined as for
   * `legCost`. Absent: work has no separate price. Warm.
   */
  workCost?(work: bigint): bigint | undefined;
  /**
   * Payer's cost of the deposit steps. `overhead`: gas that the wallet adds to each transaction
   * (`originGasOverhead`); ignored by families without it.
   */
  depositCost(currency: string, overhead?: bigint): CostEstimate | undefined;
  laneBalance(signer: string, currency: string): Aged<bigint> | undefined;
  /**
   * Most that a lane may pay out in a currency if its signer must approve that, for example to a contract that pulls
   * the funds. 0: nothing can be paid now. Undefined or absent: no approval is needed, or it is unknown.
   */
  laneAllowance?(signer: string, currency: string): Aged<bigint> | undefined;
  userBalance(address: string, currency: string): Promise<bigint>;
  /** Balance of a pot at the head, for audits. */
  potBalance(pot: PotRef, currency: string): Promise<bigint>;
}
