import type { PayerUtxos } from './deposits.js';
import type { Hex, OrderId } from './ids.js';
import type { OwnSwaps } from './own-swaps.js';

/** A call that a fill makes with what it delivers. */
export interface DestinationCall {
  /** Canonical address of the contract or account. */
  readonly to: string;
  /** Native coin, smallest unit. */
  readonly value: bigint;
  readonly data: Hex;
}

/**
 * Fills that carry calls: the chain makes them in order with what was delivered and sends the rest to the recipient. Either all
 * of it happens or nothing, also of the payment.
 */
export interface DestinationCalls {
  /** The call as orders name it, and as `FillLeg.calls` and `FillWish.calls` hand it back. Local work only. */
  encode(call: DestinationCall): Hex;
  /**
   * A fill in a token may bring native coin for its calls to spend (`FillLeg.coin`): the chain fills the order and the coin, each
   * under its own id, in one step, or neither, and each id once. Absent: calls beside a token have no coin.
   */
  readonly carriesCoin?: true;
  /** Canonical address of the account that makes the calls of an order, before it is there. Local work only. */
  account(orderId: OrderId, recipient: string): string;
}

/** The signed word of an account that its code be a contract's from then on, as a client wrote it. */
export interface AskedAuthorization {
  /** 0: of any chain. */
  readonly chainId: number;
  /** The contract. */
  readonly address: string;
  /** The account's own count of what it signed. */
  readonly nonce: number;
  readonly yParity: number;
  readonly r: string;
  readonly s: string;
}

export type ReadAuthorization =
  | {
      readonly ok: true;
      /** As `FillLeg.authorizations` and `FillWish.authorizations` hand it back. */
      readonly encoded: Hex;
      /** Canonical address of who signed. */
      readonly account: string;
      /** Canonical address of the contract. */
      readonly code: string;
    }
  | { readonly ok: false; readonly field: keyof AskedAuthorization; readonly reason: string };

/**
 * Fills that carry authorizations, which take effect before their calls are made. A chain passes over one that does not fit
 * its account's count, and makes the calls all the same: so `check` and `fillCost` refuse it, with INVALID_NONCE.
 */
export interface Authorizations {
  /** Local work only. */
  read(asked: AskedAuthorization): ReadAuthorization;
}

/** Small interfaces an adapter may offer. Each arrives with the feature that needs it. */
export interface ChainCapabilities {
  /** Absent: fills pay their recipient and do no more. */
  readonly destinationCalls?: DestinationCalls;
  /** Only beside `destinationCalls`. Absent: fills carry none. */
  readonly authorizations?: Authorizations;
  /** Absent: what stays within the chain goes through the depository and the inventory, as what goes between chains. */
  readonly ownSwaps?: OwnSwaps;
  /** Another account than the payer may pay a deposit's network fee: `depositSteps` takes a `feePayer`. */
  readonly depositFeePayer?: true;
  /**
   * A deposit spends outputs of its payer, which are looked up before its steps are made. False: no source of outputs is
   * configured, so quotes have no steps. Absent: nothing has to be looked up.
   */
  readonly payerUtxos?: PayerUtxos | false;
  /**
   * Whether the key of a canonical address signed this text, in the form in which wallets of the family sign texts. False for
   * anything that is no such signature. A text of 32 bytes as hex may have been signed as those bytes. Local work only.
   */
  readonly verifyMessage?: (address: string, text: string, signature: string) => boolean;
}
