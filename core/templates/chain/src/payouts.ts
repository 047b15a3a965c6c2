import { type ChainPayouts, EVERY_LEG, NotWrittenError } from '@causeway/core';
import type { Chain } from './adapter.js';
import { laneKeys } from './keys.js';

const missing = (what: string) => new NotWrittenError(what, 'src/payouts.ts');

/** How money goes out. Everything that is ever signed for one leg has one single-use key, until that key is proven to be over. */
export function payouts(chain: Chain): ChainPayouts {
  return {
    lanes: [{ signer: chain.options.signer.address, sends: EVERY_LEG }],
    keys: laneKeys(chain),
    /** Asks the chain, without sending, whether a leg can be executed now. `refused` is the proof that it cannot; what was not learnt is `unavailable`. */
    check: async (_leg, _signer) => {
      throw missing('check: ask the chain whether the leg can be executed now');
    },
    /** The unsigned transaction, its key and its fees. Local work only. */
    prepare: async (_input) => {
      throw missing('prepare: the unsigned transaction of a leg, with its key');
    },
    /** Signs what was prepared. The bytes and the hash are known before anything is sent, and made durable by core. */
    sign: async (_prepared, _signer) => {
      throw missing('sign: the bytes and the hash of a prepared transaction');
    },
    /** Gives the bytes to nodes; the same ones can be sent for ever. A lost answer is `ambiguous`; it never throws in the end. */
    send: async (_transaction) => {
      throw missing('send: give the bytes to nodes, and say what is known of it');
    },
    /** Another transaction under the same key with more fee, or a no-op that closes the key. Leave it out where keys end by history. */
    replace: async (_input) => {
      throw missing('replace: another transaction under the same key');
    },
    /** What the chain proves of each key, from its own records. Absence of evidence is `unknown`, and never `spentByOther`. */
    look: async (_keys) => {
      throw missing('look: what the chain proves of each key');
    },
  };
}
