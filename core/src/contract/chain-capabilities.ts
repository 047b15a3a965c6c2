import type { PayerUtxos } from './deposits.js';
import type { Hex, OrderId } from './ids.js';
import type { OwnSwaps } from './own-swaps.js';

/** A call that a fill makes with the delivered funds. */
export interface DestinationCall {
  readonly to: string;
  /** Native coin, smallest unit. */
  readonly value: bigint;
  readonly data: Hex;
}

/**
 * Fills with calls. The chain makes the calls in order with what was delivered and sends the rest to the recipient,
 * all in one step with the payment or not at all.
 */
export interface DestinationCalls {
  /** Encodes a call for the order, `FillLeg.calls` and `FillWish.calls`. Local work only. */
  encode(call: DestinationCall): Hex;
  /**
   * A fill in a token may also deliver native coin for its calls (`FillLeg.coin`). The chain fills the order and the
   * coin, each once and under its own id, atomically. Absent: calls of a token fill get no coin.
   */
  readonly carriesCoin?: true;
  /** Canonical address of the account that makes the calls of an order, known before it exists. Local work only. */
  account(orderId: OrderId, recipient: string): string;
}

/** An account's signed delegation to a contract's code (EIP-7702), as the client sent it. */
export interface AskedAuthorization {
  /** 0: valid on any chain. */
  readonly chainId: number;
  readonly address: string;
  /** The signing account's nonce. */
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
      /** Canonical address of the signer. */
      readonly account: string;
      /** Canonical address of the contract. */
      readonly code: string;
    }
  | { readonly ok: false; readonly field: keyof AskedAuthorization; readonly reason: string };

/**
 * Fills with authorizations, which take effect before their calls. A chain skips an authorization with the wrong
 * nonce and still makes the calls, so `check` and `fillCost` refuse it with INVALID_NONCE.
 */
export interface Authorizations {
  /** Local work only. */
  read(asked: AskedAuthorization): ReadAuthorization;
}

export interface ChainCapabilities {
  /** Absent: fills only pay their recipient. */
  readonly destinationCalls?: DestinationCalls;
  /** Requires `destinationCalls`. Absent: fills carry none. */
  readonly authorizations?: Authorizations;
  /** Absent: same-chain orders go through the depository and the inventory, like cross-chain ones. */
  readonly ownSwaps?: OwnSwaps;
  /** An account other than the payer may pay a deposit's network fee (`feePayer` of `depositSteps`). */
  readonly depositFeePayer?: true;
  /**
   * Finds the payer's outputs that a deposit spends, before its steps are built. False: no source of outputs is
   * configured, so quotes have no steps. Absent: nothing has to be looked up.
   */
  readonly payerUtxos?: PayerUtxos | false;
  /**
   * Whether the key of a canonical address signed this text in the family's wallet format; false for anything
   * malformed. A text of 32 bytes as hex may have been signed as those bytes. Local work only.
   */
  readonly verifyMessage?: (address: string, text: string, signature: string) => boolean;
}
