import { type ChainPayouts, EVERY_LEG, NotWrittenError } from '@causeway/core';
import type { Chain } from './adapter.js';
import { laneKeys } from './keys.js';

const missing = (what: string) => new NotWrittenError(what, 'src/payouts.ts');

/**
 * Outgoing payments. All transactions signed for one leg share one single-use key until that key is proven spent or expired, so
 * at most one of them takes effect.
 */
export function payouts(chain: Chain): ChainPayouts {
  return {
    lanes: [{ signer: chain.options.signer.address, sends: EVERY_LEG }],
    keys: laneKeys(chain),
    /**
     * Simulates the leg. `refused` only if the chain proves that it cannot succeed; `unavailable` if that is unknown (no answer,
     * balance too low).
     */
    check: async (_leg, _signer) => {
      throw missing('check: simulate a leg on the chain without sending it');
    },
    /** Builds the unsigned transaction, with its key and fees. No I/O: fees are cached, the position comes with the input. */
    prepare: async (_input) => {
      throw missing('prepare: build the unsigned transaction of a leg, with its key and fees');
    },
    /** Signs a prepared transaction. Core stores the returned bytes and hash before it calls `send`. */
    sign: async (_prepared, _signer) => {
      throw missing('sign: return the signed bytes and the hash of a prepared transaction');
    },
    /** Sends the bytes to nodes; called repeatedly with the same bytes. Must not throw: a lost reply is `ambiguous`. */
    send: async (_transaction) => {
      throw missing('send: send the bytes to nodes and return the outcome');
    },
    /** Builds a transaction with the same key and a higher fee; without legs, a no-op that closes the key. Omit it with `KeysByHistory`. */
    replace: async (_input) => {
      throw missing('replace: build a transaction with the same key and a higher fee');
    },
    /** The state of each key as proven by the chain, in order. Without proof: `unknown`, never `spentByOther`. */
    look: async (_keys) => {
      throw missing('look: return the state of each key as proven by the chain');
    },
  };
}
