import type { FailReason } from '../errors/fail-reasons.js';
import type { CallRevert } from './call-revert.js';
import type { Asker, CostEstimate } from './chain-costs.js';
import type { CallData } from './deposits.js';
import type { Hex } from './ids.js';

/** A call that the service makes for others and pays the fee of. It gives no coin of its own with it. */
export interface RawCall {
  /** Canonical. */
  readonly to: string;
  readonly data: Hex;
  /** From `Authorizations.read`, in effect before the call. */
  readonly authorizations: readonly Hex[];
}

export interface TriedCall extends RawCall {
  /** Work that its asker wants beyond what the trial finds; up to what the chain allows one call. */
  readonly overhead?: bigint;
}

export type RawCallTrial =
  /** `cost.work` bounds the work of its transaction, `cost.most` is what that costs at most at current fees. */
  | { readonly is: 'done'; readonly cost: CostEstimate & { readonly work: bigint; readonly most: bigint } }
  | {
      readonly is: 'reverted';
      readonly reason: FailReason;
      readonly revert: CallRevert;
      readonly call: CallData;
    }
  /** The chain proves that it has no effect, or needs too much work. */
  | { readonly is: 'refused'; readonly reason: FailReason; readonly message: string }
  /** The account lacks gas money for it; another lane may have enough. */
  | { readonly is: 'short'; readonly message: string }
  /** Nothing was learnt: ask again. */
  | { readonly is: 'unavailable'; readonly message: string };

/** A reason why the service never makes a call, whatever its chain says. */
export interface RawCallRefusal {
  readonly field: 'to' | 'data';
  readonly reason: string;
}

/**
 * Calls for others, as `call` legs, from lanes of their own (`sends: ['call']`) whose accounts hold nothing but gas. Several
 * are a pool: each call goes through one of them.
 * Its effects: `done` where the call was made with all its authorizations in force; else `returned`, with a `failure`.
 */
export interface RawCalls {
  readonly mostDataBytes: number;
  readonly mostAuthorizations: number;
  /**
   * Calls that could take something from the service: of its contracts and accounts, or that would pay it twice.
   * Local work only, for any input.
   */
  refuse(call: Pick<RawCall, 'to' | 'data'>): RawCallRefusal | undefined;
  /**
   * The account that a call acts for with its consent, where it is not the called one, as the sender of ERC-4337 operations: what
   * the call costs counts for its limits. Undefined: the called account. Local work only, for any input.
   */
  userOf?(call: Pick<RawCall, 'to' | 'data'>): string | undefined;
  /** @param signer of the lane that would make it now. Never throws. */
  simulate(call: TriedCall, signer: string, asker: Asker): Promise<RawCallTrial>;
}
