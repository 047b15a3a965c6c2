import type { DepositAddresses } from './deposit-addresses.js';
import type { PayerUtxos } from './deposits.js';
import type { Hex, OrderId } from './ids.js';
import type { NonceMappings } from './nonce-mappings.js';
import type { PayerSwaps } from './payer-swaps.js';
import type { Permits } from './permits.js';
import type { RawCalls } from './raw-calls.js';

export interface DestinationCall {
  readonly to: string;
  /** Native coin, smallest unit. */
  readonly value: bigint;
  readonly data: Hex;
}

/** The calls run in order on what was delivered; the rest goes to the recipient. Atomic with the payment. */
export interface DestinationCalls {
  /** Encodes a call for the order, `FillLeg.calls` and `FillWish.calls`. Local work only. */
  encode(call: DestinationCall): Hex;
  /**
   * A token fill may also deliver native coin for its calls (`FillLeg.topUp`), each filled once under its own id,
   * atomically. Absent: such calls get no coin.
   */
  readonly carriesTopUp?: true;
  /** Canonical address of the account that makes an order's calls, before it exists. Local work only. */
  account(orderId: OrderId, recipient: string): string;
}

/** An account's signed delegation to a contract's code (EIP-7702), as the client sent it. */
export interface AskedAuthorization {
  /** 0: valid on any chain. */
  readonly chainId: number;
  readonly address: string;
  readonly nonce: number;
  readonly yParity: number;
  readonly r: string;
  readonly s: string;
}

export type ReadAuthorization =
  | {
      readonly ok: true;
      /** The form used in `FillLeg.authorizations` and `FillWish.authorizations`. */
      readonly encoded: Hex;
      readonly account: string;
      readonly code: string;
    }
  | { readonly ok: false; readonly field: keyof AskedAuthorization; readonly reason: string };

/**
 * Authorizations take effect before the calls. A chain ignores one with a wrong nonce and still makes the calls, so
 * `check` and `fillCost` refuse it with INVALID_NONCE.
 */
export interface Authorizations {
  /** Local work only. */
  read(asked: AskedAuthorization): ReadAuthorization;
}

export interface ChainCapabilities {
  /** Absent: deposits only by transactions that name their order. */
  readonly depositAddresses?: DepositAddresses;
  /** Absent: fills only pay their recipient. */
  readonly destinationCalls?: DestinationCalls;
  /** Requires `destinationCalls`. Absent: fills carry none. */
  readonly authorizations?: Authorizations;
  /** Calls for others at the service's cost. Absent: none. */
  readonly rawCalls?: RawCalls;
  /** Deposits that payers sign and the service sends; requires a lane that sends `call` legs. Absent: none. */
  readonly permits?: Permits;
  /** Absent: same-chain orders go through depository and inventory, like cross-chain ones. */
  readonly payerSwaps?: PayerSwaps;
  /**
   * Whether a transfer of the currency itself to the depository can name its order (`DepositStepsInput.byTransfer`), and
   * is observed as a deposit of it. Local work only. Absent: no currency's.
   */
  readonly transferDeposits?: (currency: string) => boolean;
  /** Plain transfers whose order a signature of their sender names. Absent: none. */
  readonly nonceMappings?: NonceMappings;
  /** Deposits may have a `feePayer` other than the payer. */
  readonly depositFeePayer?: true;
  /**
   * Finds the payer's outputs before the deposit steps are built. False: no source is configured, so quotes have no
   * steps. Absent: no lookup is needed.
   */
  readonly payerUtxos?: PayerUtxos | false;
  /**
   * Whether an address's key signed this text in the family's wallet format; false for malformed input. A text of 32
   * bytes as hex may be signed as those bytes. Local work only.
   */
  readonly verifyMessage?: (address: string, text: string, signature: string) => boolean;
}
