import type { Asker, CostEstimate, FillRefusal, FillWish } from './chain-costs.js';
import type { FundingKey, UnixMs } from './ids.js';
import type { LegCheck, LegKind, PotRef } from './legs.js';

export interface Aged<T> {
  readonly value: T;
  readonly at: UnixMs;
}

export interface ChainStatus {
  readonly healthy: boolean;
  readonly reason: string | null;
  readonly head: Aged<number> | null;
  /** In order of preference. Absent: not reported. No I/O. */
  readonly providers?: () => readonly ProviderReport[];
}

/** An RPC provider as operators see it. */
export interface ProviderReport {
  /** Number and host, without credentials. */
  readonly name: string;
  /** `avoided`: it answers but refuses what healthy nodes answer. `refused`: it serves another chain. */
  readonly state: 'ok' | 'avoided' | 'down' | 'refused' | 'unchecked';
  /** Why it is not used; null while it is. */
  readonly reason: string | null;
  /** HTTP exchanges since the start, and how many of them failed. */
  readonly exchanges: number;
  readonly failures: number;
  /** The newest block that it reported or confirmed, and when it did last. Null: none yet. Absent: not reported. */
  readonly head?: {
    readonly height: number;
    readonly at: UnixMs;
    /** Blocks that another provider had beyond it at that time; null: it confirmed this block and did not name its head. */
    readonly behind: number | null;
  } | null;
  /**
   * What it said last of deposits that several providers must report, since when without a change, and when last.
   * `different`: it contradicts another provider. `nothing`: it does not have the deposit, or did not answer. Null: it
   * was not asked yet. Absent: not reported.
   */
  readonly testimony?: {
    readonly says: 'same' | 'different' | 'nothing';
    readonly since: UnixMs;
    readonly at: UnixMs;
  } | null;
}

export interface ChainState {
  status(): ChainStatus;
  /**
   * The service's buffered cost of one leg. Undefined before the first fee sample or once it is too old.
   *
   * @param recipient canonical address; includes an account that may have to be opened for it. Absent: none.
   * @param fundingKey of the deposit that is refunded, where its payer chose what that costs. Absent: the least.
   */
  legCost(kind: LegKind, currency: string, recipient?: string, fundingKey?: FundingKey): CostEstimate | undefined;
  /**
   * Why `check` would refuse such a fill in any chain state; asked before a promise. Absent: unknown beforehand. No
   * I/O.
   */
  refuseFill?(wish: FillWish): FillRefusal | undefined;
  /**
   * Why funds sent there are unspendable in the current state (a program, another account's token account).
   * Undefined: no objection, or unknown; `check` looks again before a fill. Absent: `refuseAddress` suffices. Rejects
   * on infrastructure failure.
   */
  refuseAccount?(address: string): Promise<string | undefined>;
  /**
   * Minimum balance, smallest unit, of an account that is not empty: one that pays without being emptied, or a new deposit
   * address that is paid. Undefined or absent: none, or unknown. No I/O.
   */
  leastLeft?(currency: string): bigint | undefined;
  /**
   * Cost of a fill whose recipient influences it (a contract paid in native coin), simulated from the lane's signer
   * at the fill's fees. A refusal proves that the recipient cannot be paid. Cached for known recipients; never uses
   * payments' capacity. Undefined or absent: use `legCost`. Rejects on infrastructure failure.
   */
  fillCost?(wish: FillWish, asker?: Asker): Promise<CostEstimate | Extract<LegCheck, { ok: false }> | undefined>;
  /**
   * Buffered native cost of this much work (`SwapQuote.work`). Undefined as for `legCost`. Absent: work has no separate
   * price. No I/O.
   */
  workCost?(work: bigint): bigint | undefined;
  /**
   * Payer's cost of the deposit steps. `overhead`: gas that the wallet adds per transaction (`originGasOverhead`), if
   * the family has gas.
   */
  depositCost(currency: string, overhead?: bigint): CostEstimate | undefined;
  laneBalance(signer: string, currency: string): Aged<bigint> | undefined;
  /** Maximum that a lane's approval allows; 0: nothing now. Undefined or absent: no approval needed, or unknown. */
  laneAllowance?(signer: string, currency: string): Aged<bigint> | undefined;
  userBalance(address: string, currency: string): Promise<bigint>;
  potBalance(pot: PotRef, currency: string): Promise<bigint>;
}
