import type { Asker, CostEstimate, FillRefusal, FillWish } from './chain-costs.js';
import type { UnixMs } from './ids.js';
import type { LegCheck, LegKind, PotRef } from './legs.js';

/** A value read in the background, with its age. */
export interface Aged<T> {
  readonly value: T;
  readonly at: UnixMs;
}

/** Health of a chain as its background refreshers see it. */
export interface ChainStatus {
  readonly healthy: boolean;
  /** Why not, for operators. */
  readonly reason: string | null;
  readonly head: Aged<number> | null;
}

/** What is kept warm of a chain in the background, and the balances that are read from it when somebody asks. */
export interface ChainState {
  status(): ChainStatus;
  /**
   * Cost for us of one leg, buffered. Undefined until the first fee sample, or when the sample is too old.
   *
   * @param recipient canonical address. Where an account has to be opened for it, or may have to be, the cost includes that.
   *   Absent: a recipient that has every account it needs.
   */
  legCost(kind: LegKind, currency: string, recipient?: string): CostEstimate | undefined;
  /**
   * Why `check` would refuse such a fill in every state of the chain: recipients that are none, amounts below what the chain
   * lets anybody be paid. Asked before anything is promised. Absent: nothing is known beforehand. Warm.
   */
  refuseFill?(wish: FillWish): FillRefusal | undefined;
  /**
   * Why no one could spend what the account of a canonical address is paid, as the chain shows it now: it is a program, or an
   * account that holds the tokens of another one, such as wallets show beside their own address. Undefined: nothing speaks against
   * it, or it cannot be asked about now; `check` looks again before a fill. Absent: chains of this family show nothing beyond
   * `refuseAddress`. Rejects on infrastructure failure.
   */
  refuseAccount?(address: string): Promise<string | undefined>;
  /**
   * Least of a currency that an account has to keep, or keep nothing at all, for its chain to take a payment out of it, smallest
   * unit. Undefined, or absent: any rest may stay, or the least is not known yet. Warm.
   */
  leastLeft?(currency: string): bigint | undefined;
  /**
   * What a fill costs where its recipient has a say in that, as a contract that is paid in native coin: tried from the signer
   * of the lane, at the fees that the fill would offer. Undefined where nobody has a say: then `legCost` tells. Answers from
   * memory for recipients it knows; a refusal is the chain's proof that the recipient cannot be paid. Absent: `legCost` tells
   * all there is. Rejects on infrastructure failure. Takes no place of what money is moved with.
   */
  fillCost?(wish: FillWish, asker?: Asker): Promise<CostEstimate | Extract<LegCheck, { ok: false }> | undefined>;
  /**
   * Native coin that so much work of a lane's transaction costs now, buffered, in the unit of `SwapQuote.work`. Undefined as for
   * `legCost`. Absent: work has no price of its own here. Warm.
   */
  workCost?(work: bigint): bigint | undefined;
  /**
   * Cost for the payer of the deposit steps. `overhead` is gas that the payer's wallet adds to each transaction
   * (`originGasOverhead`); families without such a thing ignore it.
   */
  depositCost(currency: string, overhead?: bigint): CostEstimate | undefined;
  /** Balance of one of our lanes. */
  laneBalance(signer: string, currency: string): Aged<bigint> | undefined;
  /**
   * Most that a lane may pay out in a currency, where its signer has to allow that, for example to a contract that takes what
   * it pays from the signer. 0: nothing can be paid out in it now. Undefined, or absent: no allowance is needed, or it is
   * unknown.
   */
  laneAllowance?(signer: string, currency: string): Aged<bigint> | undefined;
  userBalance(address: string, currency: string): Promise<bigint>;
  /** Balance of one of our pots at the head, for audits. */
  potBalance(pot: PotRef, currency: string): Promise<bigint>;
}
