import { type KeysByPosition, NotWrittenError } from '@causeway/core';
import type { Chain } from './adapter.js';

const missing = (what: string) => new NotWrittenError(what, 'src/keys.ts');

/**
 * Single-use keys: of two transactions with one key, at most one takes effect. Here a key is a position (a nonce or sequence
 * number). If the chain has none and the key is the transaction itself, return `KeysByHistory` instead.
 */
export function laneKeys(_chain: Chain): KeysByPosition {
  return {
    by: 'position',
    /** The signer's next free position according to the chain. Rejects while every node lags behind an earlier answer. */
    lanePosition: async (_signer, _at) => {
      throw missing('lanePosition: return the next free position of the signer');
    },
    /**
     * Whether the chain's position is past the ledger's. Then a transaction that the ledger does not contain used the
     * signer. No I/O.
     */
    positionAhead: (_chain, _ledger) => {
      throw missing('positionAhead: compare two positions');
    },
    /** Keys from the ledger's position up to, excluding, the chain's, in order. No I/O. */
    keysBetween: (_signer, _ledger, _chain) => {
      throw missing('keysBetween: list the keys between two positions');
    },
    /** The transaction that spent a key, from any origin; `undefined` while unknown. */
    spenderOf: async (_key, _signer) => {
      throw missing('spenderOf: find the transaction that spent a key');
    },
  };
}
