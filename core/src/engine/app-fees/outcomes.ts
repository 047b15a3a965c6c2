import type { ChainId, Hex, UnixMs } from '../../contract/ids.js';

export interface FeeClaimAsk {
  readonly chainId: ChainId;
  readonly wallet: string;
  readonly currency: string;
  readonly recipient: string;
  /** Smallest unit; null: all that can be claimed. */
  readonly amount: bigint | null;
}

/** Canonical addresses, smallest units. */
export interface FeeClaimOffer {
  /** The 32 bytes to sign. */
  readonly claimId: Hex;
  readonly chainId: ChainId;
  readonly wallet: string;
  readonly currency: string;
  readonly recipient: string;
  /** Deducted from the wallet's balance. */
  readonly amount: bigint;
  /** Network fee, and what the token charges on transfer; part of the amount. */
  readonly fee: bigint;
}

export interface FeeClaimRefusal {
  readonly ok: false;
  /**
   * `invalid`: see `field`. `currency`: not served. `tooMuch`: not claimable. `tooLow`: the fee takes all.
   * `notSigned`: not by the wallet for this id. `stale`: another claim came first. `short`: too little inventory.
   * `underWay`, `paused`, `unavailable`: retry.
   */
  readonly code:
    | 'invalid'
    | 'currency'
    | 'tooMuch'
    | 'tooLow'
    | 'notSigned'
    | 'stale'
    | 'short'
    | 'underWay'
    | 'paused'
    | 'unavailable';
  readonly field: keyof FeeClaimAsk | 'signature' | 'requestId';
  readonly message: string;
  /** Not final yet, claimable later. Smallest unit. */
  readonly pending?: { readonly amount: bigint; readonly until: UnixMs | null };
}

export type FeeClaimOfferOutcome = { readonly ok: true; readonly offer: FeeClaimOffer } | FeeClaimRefusal;

/** Idempotent. */
export type FeeClaimOutcome =
  | { readonly ok: true; readonly state: 'accepted' | 'acceptedBefore'; readonly claimId: Hex }
  | FeeClaimRefusal;
