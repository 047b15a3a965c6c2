import { type KeysByPosition, NotWrittenError } from '@causeway/core';
import type { Chain } from './adapter.js';

const missing = (what: string) => new NotWrittenError(what, 'src/keys.ts');

/** How single-use keys end: here by their place, as a nonce or a sequence number. Where a key is the transaction itself, return `KeysByHistory`. */
export function laneKeys(_chain: Chain): KeysByPosition {
  return {
    by: 'position',
    /** First free position of the signer as the chain sees it; rejects while every node lags behind an earlier answer. */
    lanePosition: async (_signer, _at) => {
      throw missing('lanePosition: the first free position of the lane');
    },
    /**
     * Whether the first position is past the second. Then something that this ledger does not know used the signer. No
     * I/O.
     */
    positionAhead: (_chain, _ledger) => {
      throw missing('positionAhead: whether one position is past another');
    },
    /** The keys that lie between two positions, in order. No I/O. */
    keysBetween: (_signer, _ledger, _chain) => {
      throw missing('keysBetween: the keys between two positions');
    },
    /** What spent a key, wherever it came from; `undefined` while that cannot be told. */
    spenderOf: async (_key, _signer) => {
      throw missing('spenderOf: the transaction that spent a key');
    },
  };
}
