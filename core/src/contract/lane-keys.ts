import type { KeySpender, SentSince } from './legs.js';

interface LanePositions {
  /**
   * First free position of a lane according to the chain; `pool`: also past transactions in provider pools; `final`:
   * past final ones only. Rejects while every answering provider lags behind an earlier answer (the count would be
   * too low), with NotYetError if a short wait helps.
   */
  lanePosition(signer: string, at?: 'pool' | 'final'): Promise<string>;
}

/**
 * A key is a place: a nonce, a wallet's sequence number, the n-th transaction of a UTXO lane. Only the transaction
 * that takes the place ends the key, so the chain's position counts sends, each place has one spender, and
 * `ChainPayouts.replace` can reuse a free place.
 *
 * This includes expiring messages under a place that outlives them, such as a wallet message with sequence number and
 * expiry: the key stays `unspent` after expiry, and `replace` signs another without outbidding.
 * `ChainFacts.messageLifeMs` is then only how long a restored ledger's lane pauses, since a lost send may take a
 * place until then.
 */
export interface KeysByPosition extends LanePositions {
  readonly by: 'position';
  /** True when the chain is past the ledger: something unknown to this ledger used the signer (G15). Warm. */
  positionAhead(chain: string, ledger: string): boolean;
  /**
   * Keys from position `ledger` up to, but not including, `chain`, in lane order. If keys may be spent out of order,
   * includes all that something else may have spent, even if the ledger knows some. Warm.
   */
  keysBetween(signer: string, ledger: string, chain: string): readonly string[];
  /** Spender of a key, whatever its origin; undefined while unknown (unspent, no history, no answer). */
  spenderOf(key: string, signer: string): Promise<KeySpender | undefined>;
}

/**
 * A key is the transaction itself: it lands at most once, never after expiry, and nothing takes its place. Expired
 * keys leave no trace, so positions count nothing: they are places in the chain's history.
 */
export interface KeysByHistory extends LanePositions {
  readonly by: 'history';
  /**
   * All transactions of a signer that landed since the ledger's position, including the ledger's own, and whether any
   * signed up to `start` (an earlier chain position) may still land. One consistent snapshot. Rejects rather than
   * omit something.
   */
  sentSince(signer: string, ledger: string, start: string): Promise<SentSince>;
}

/**
 * How single-use keys end, and so how a ledger that lost sends learns of them (G15). Core reads this type and never
 * infers it from other features.
 */
export type LaneKeys = KeysByPosition | KeysByHistory;
