import { createHash } from 'node:crypto';
import { type ChainCodec, NotWrittenError } from '@causeway/core';
import type { Chain } from './adapter.js';

const missing = (what: string) => new NotWrittenError(what, 'src/codec.ts');

/** How the chain writes what others name: addresses, currencies, once-only keys. All of it answers at once, from memory. */
export function codec(chain: Chain): ChainCodec {
  return {
    facts: chain.facts,
    /** The one canonical text of an address, or why it is none. Two spellings of one recipient have made others pay twice. Never throws in the end. */
    parseAddress: (_text) => {
      throw missing('parseAddress: the canonical text of an address, or why it is none');
    },
    /** Bytes of a canonical address in orders: different ones for different addresses. */
    addressBytes: (_address) => {
      throw missing('addressBytes: the bytes of a canonical address');
    },
    /** A token that is configured, not the native coin. */
    isTokenContract: (address) => chain.currencies.some((one) => one.address === address && !one.isNative),
    /** A configured currency by any spelling of its address: `parseAddress` first, then `chain.currencies`. */
    currency: (_address) => {
      throw missing('currency: a configured currency by any spelling of its address');
    },
    currencies: () => chain.currencies,
    /** `0x` where fills go through no contract. */
    orderExtraData: () => '0x',
    /** 32 bytes that no other leg of any transfer has. */
    useKey: (fundingKey, leg) => `0x${createHash('sha256').update(`${fundingKey}:${leg}`).digest('hex')}`,
  };
}
