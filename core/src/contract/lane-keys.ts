import type { KeySpender, SentSince } from './legs.js';

interface LanePositions {
  /**
   * First free position of a lane, as the chain sees it: past everything that the signer has on the chain; with `pool` also
   * past the transactions in the pools of providers that show their pool; with `final` past final transactions only. Rejects
   * while every provider that answers lags behind an earlier answer, because its count would be too low; with NotYetError
   * where a moment of waiting mends that.
   */
  lanePosition(signer: string, at?: 'pool' | 'final'): Promise<string>;
}

/**
 * A key is a place: a nonce, a number of a wallet, the n-th transaction of a UTXO lane. The transaction that takes the place ends
 * the key, and nothing else does. So the chain's position says how much was sent, each place between two positions has one
 * spender, and a place that nobody takes can be given to another transaction (`ChainPayouts.replace`).
 *
 * A transaction that runs out belongs here, too, wherever its place outlives it, as that of a wallet with a number and a
 * time until which a message is valid: what ran out never lands, but its key stays `unspent` until some other message takes
 * the number. `replace` signs that one, without outbidding what is void. How long a message lives (`ChainFacts.messageLifeMs`)
 * then only says how long a lane whose ledger was put back rests, since what a lost ledger signed may take a place until then.
 */
export interface KeysByPosition extends LanePositions {
  readonly by: 'position';
  /** True when `chain` is past `ledger`: the signer was used by something this ledger does not know (G15). Warm. */
  positionAhead(chain: string, ledger: string): boolean;
  /**
   * The single-use keys that lie between two positions, from `ledger` on and before `chain`, in lane order; where keys
   * may be spent in another order than they were signed in, all that something else may have spent, though the ledger
   * knows some of them. Warm.
   */
  keysBetween(signer: string, ledger: string, chain: string): readonly string[];
  /** What spent a key, wherever it came from; undefined while that cannot be told (not spent, no history, no answer). */
  spenderOf(key: string, signer: string): Promise<KeySpender | undefined>;
}

/**
 * A key is the transaction itself: the same bytes are taken once, and not after they ran out, and nothing takes their place. A
 * key that ran out is spent by nobody and tells of nobody. So positions count nothing: they are places in the chain's
 * history, which tells what landed since.
 */
export interface KeysByHistory extends LanePositions {
  readonly by: 'history';
  /**
   * Every transaction of a signer that landed since a position of its ledger, those of the ledger included, and whether
   * transactions signed up to `start` (a position that the chain was at) may still land. One consistent look. Rejects rather
   * than leave something out.
   */
  sentSince(signer: string, ledger: string, start: string): Promise<SentSince>;
}

/**
 * How the single-use keys of a chain's lanes end, and so how a ledger that lost sends learns of them (G15). Core asks which of
 * the two it is, and never infers it from what else a chain has.
 */
export type LaneKeys = KeysByPosition | KeysByHistory;
