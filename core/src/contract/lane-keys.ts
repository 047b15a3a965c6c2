import type { KeySpender, SentSince } from './legs.js';

interface LanePositions {
  /**
   * First free position according to the chain; `pool`: also past transactions in provider pools; `final`: past final
   * ones only. Rejects while every answering provider lags behind an earlier answer, with NotYetError if a short wait
   * helps.
   */
  lanePosition(signer: string, at?: 'pool' | 'final'): Promise<string>;
}

/**
 * A key is a place: a nonce, a wallet's sequence number, the n-th transaction of a UTXO lane. Only a transaction that
 * takes the place ends the key. So the position counts sends, and `ChainPayouts.replace` can reuse a free place.
 *
 * Expiring messages with a sequence number belong here: their key stays `unspent` after expiry, and `replace` signs
 * another without outbidding. `ChainFacts.messageLifeMs` is then only how long a restored ledger's lane pauses.
 */
export interface KeysByPosition extends LanePositions {
  readonly by: 'position';
  /** Position of a signer that never sent anything, if that is known; `keysBetween` goes on from it. */
  readonly unused?: string;
  /** Something unknown to this ledger used the signer (G15). No I/O. */
  positionAhead(chain: string, ledger: string): boolean;
  /**
   * Keys from position `ledger` up to, excluding, `chain`, in lane order. If keys can be spent out of order, all that
   * something else may have spent. No I/O.
   */
  keysBetween(signer: string, ledger: string, chain: string): readonly string[];
  /** Spender of a key, from any origin; undefined while unknown (unspent, no history, no answer). */
  spenderOf(key: string, signer: string): Promise<KeySpender | undefined>;
}

/**
 * A key is the transaction itself: it lands at most once and never after expiry. Expired keys leave no trace, so
 * positions are places in the chain's history.
 */
export interface KeysByHistory extends LanePositions {
  readonly by: 'history';
  /**
   * A signer's transactions that landed since the ledger's position, its own included, and whether any signed up to
   * `start` (a chain position) may still land. One consistent snapshot. Rejects rather than omit something.
   */
  sentSince(signer: string, ledger: string, start: string): Promise<SentSince>;
}

/**
 * How single-use keys end, and so how a ledger that lost sends learns of them (G15). Core never infers it from other
 * features.
 */
export type LaneKeys = KeysByPosition | KeysByHistory;
