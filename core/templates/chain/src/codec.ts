import { createHash } from 'node:crypto';
import { type ChainCodec, NotWrittenError } from '@causeway/core';
import type { Chain } from './adapter.js';

const missing = (what: string) => new NotWrittenError(what, 'src/codec.ts');

/** Addresses, currencies and once-only keys. Synchronous; no I/O. */
export function codec(chain: Chain): ChainCodec {
  return {
    facts: chain.facts,
    /**
     * Returns `{ ok: true, value }` with the one canonical spelling, or `{ ok: false, reason }`. Must not throw.
     * Two canonical spellings of one account would lead to double payments.
     */
    parseAddress: (_text) => {
      throw missing('parseAddress: return the canonical spelling of an address, or why the text is invalid');
    },
    /** The bytes that represent a canonical address in orders. Different addresses must give different bytes. */
    addressBytes: (_address) => {
      throw missing('addressBytes: return the bytes that represent a canonical address in orders');
    },
    /** True for a configured token, false for the native coin. */
    isTokenContract: (address) => chain.currencies.some((one) => one.address === address && !one.isNative),
    /** Finds a configured currency by any spelling of its address: apply `parseAddress`, then search `chain.currencies`. */
    currency: (_address) => {
      throw missing('currency: find a configured currency by any spelling of its address');
    },
    currencies: () => chain.currencies,
    /** The encoded fill contract; `0x` if fills use none. */
    orderExtraData: () => '0x',
    /** 32 bytes, unique per leg of a transfer. */
    useKey: (fundingKey, leg) => `0x${createHash('sha256').update(`${fundingKey}:${leg}`).digest('hex')}`,
  };
}
