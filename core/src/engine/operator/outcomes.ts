import type { ChainId, RequestId } from '../../contract/ids.js';
import type { HoldRow } from '../../contract/store-rows.js';

/** Idempotent. */
export type OperatorOutcome =
  | {
      readonly ok: true;
      /** `owed`: now. `inProgress`: before. `alreadyDone`: nothing left to do. */
      readonly state: 'owed' | 'alreadyDone' | 'inProgress';
      readonly message: string;
      readonly legId?: string;
    }
  | {
      readonly ok: false;
      readonly code: 'notFound' | 'notSafe' | 'notApplicable' | 'invalid';
      /** What the operator must do. */
      readonly message: string;
      /** Of the command; absent: its first. */
      readonly field?: 'amount' | 'chainId' | 'currency' | 'recipient' | 'withdrawalId';
    };

export interface WithdrawalAsk {
  /** Named by the operator; one id is paid once. */
  readonly id: string;
  readonly chainId: ChainId;
  /** Address, or a symbol that no other currency of the chain has. */
  readonly currency: string;
  /** Smallest unit; null: all that may be withdrawn. */
  readonly amount: bigint | null;
  readonly recipient: string;
}

/** Idempotent. */
export type WithdrawalOutcome =
  | (Extract<OperatorOutcome, { ok: true }> & { /** Smallest unit. */ readonly amount: bigint })
  | Refusal;

export interface HoldView
  extends Pick<HoldRow, 'id' | 'transactionHash' | 'chainId' | 'currency' | 'amount' | 'reason' | 'state'> {
  /** Canonical address; null without a known deposit. */
  readonly depositor: string | null;
  /** By the depositor, if the chain proves that all of it was theirs. */
  readonly claimable: boolean;
}

export type Refusal = Extract<OperatorOutcome, { ok: false }>;

export type HoldOutcome =
  | {
      readonly ok: true;
      readonly hold: HoldView;
      /** The exact text to sign; null where not claimable or without a recipient. */
      readonly message: string | null;
    }
  | Refusal;

/** Idempotent. */
export type ClaimOutcome =
  | (Extract<OperatorOutcome, { ok: true }> & {
      /** Shows the payment's progress. */
      readonly requestId: RequestId;
    })
  | Refusal
  /** `notSigned`: not the depositor's signature of this text. `unavailable`: retry, the chain did not answer. */
  | { readonly ok: false; readonly code: 'notSigned' | 'unavailable'; readonly message: string };
