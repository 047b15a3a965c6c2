import type { ChainId, Hex, UnixMs } from '../../contract/ids.js';

/** App fees that a wallet wants paid out, in its own spelling of things. */
export interface FeeClaimAsk {
  readonly chainId: ChainId;
  readonly wallet: string;
  readonly currency: string;
  readonly recipient: string;
  /** Smallest unit; null: all that can be claimed. */
  readonly amount: bigint | null;
}

/** What a wallet signs for, and what it would get. Addresses are canonical, amounts in the smallest unit. */
export interface FeeClaimOffer {
  /** To be signed, as 32 bytes. */
  readonly claimId: Hex;
  readonly chainId: ChainId;
  readonly wallet: string;
  readonly currency: string;
  readonly recipient: string;
  /** What is taken from what is owed to the wallet. */
  readonly amount: bigint;
  /** Network fee of the payout at this moment, part of the amount. */
  readonly fee: bigint;
}

export interface FeeClaimRefusal {
  readonly ok: false;
  /**
   * `invalid`: `field` says which of the words. `currency`: it is not served there. `tooMuch`: more than can be claimed. `tooLow`:
   * nothing is left of it. `notSigned`: no signature of the wallet under this id. `stale`: something else was claimed since.
   * `short`: the solver holds too little now. `underWay`: ask again once the claim before is over. `paused`, `unavailable`: ask again.
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
  /** Of what is owed, the part that fills earned that are not final: it can be claimed later. Smallest unit. */
  readonly pending?: { readonly amount: bigint; readonly until: UnixMs | null };
}

export type FeeClaimOfferOutcome = { readonly ok: true; readonly offer: FeeClaimOffer } | FeeClaimRefusal;

/** Repeating a claim never does more than making it once. */
export type FeeClaimOutcome =
  | { readonly ok: true; readonly state: 'accepted' | 'acceptedBefore'; readonly claimId: Hex }
  | FeeClaimRefusal;
