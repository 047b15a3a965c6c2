import type { RequestId } from '../../contract/ids.js';
import type { HoldRow } from '../../contract/store-rows.js';

/** What a command of an operator came to. Repeating a command never does more than giving it once. */
export type OperatorOutcome =
  | {
      readonly ok: true;
      /** `owed`: now it is. `inProgress`: it was already. `alreadyDone`: nothing is left to do. */
      readonly state: 'owed' | 'alreadyDone' | 'inProgress';
      readonly message: string;
      readonly legId?: string;
    }
  | {
      readonly ok: false;
      readonly code: 'notFound' | 'notSafe' | 'notApplicable' | 'invalid';
      /** Says what to do. */
      readonly message: string;
    };

/** What depositors may know of a hold. */
export interface HoldView
  extends Pick<HoldRow, 'id' | 'transactionHash' | 'chainId' | 'currency' | 'amount' | 'reason' | 'state'> {
  /** Canonical address; null where the deposit is not in the ledger. */
  readonly depositor: string | null;
  /** Whether the depositor may claim it, if the chain proves that all of it was theirs. */
  readonly claimable: boolean;
}

export type Refusal = Extract<OperatorOutcome, { ok: false }>;

export type HoldOutcome =
  | {
      readonly ok: true;
      readonly hold: HoldView;
      /** What the depositor signs, to the last character; null where it cannot be claimed, or no recipient was named. */
      readonly message: string | null;
    }
  | Refusal;

/** What a claim came to. Repeating it never does more than making it once. */
export type ClaimOutcome =
  | (Extract<OperatorOutcome, { ok: true }> & {
      /** Tells how the payment stands. */
      readonly requestId: RequestId;
    })
  | Refusal
  /**
   * `notSigned`: the signature is none of the depositor under this text. `unavailable`: the chain did not answer; ask again.
   */
  | { readonly ok: false; readonly code: 'notSigned' | 'unavailable'; readonly message: string };
