import type { ChainCodec } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';

export type Chains = ReadonlyMap<ChainId, ChainCodec>;

/** Spellings that an id or a hash may be kept in: hex is lower case inside, other alphabets tell cases apart. */
export function idSpellings(text: string): string[] {
  return /^(0x)?[0-9a-f]+$/i.test(text) ? [...new Set([text.toLowerCase(), text])] : [text];
}

/** The canonical spellings that chains have for an address; the text itself where none reads it as one. */
export function addressSpellings(text: string, chains: Chains): string[] {
  const found = new Set<string>();
  for (const chain of chains.values()) {
    const parsed = chain.parseAddress(text);
    if (parsed.ok) found.add(parsed.value);
  }
  return found.size > 0 ? [...found] : [text];
}

/** As for addresses; a currency may also be named by another spelling of a native sentinel. */
export function currencySpellings(text: string, chains: Chains): string[] {
  const found = new Set<string>();
  for (const chain of chains.values()) {
    const known = chain.currency(text);
    if (known) found.add(known.address);
  }
  return found.size > 0 ? [...found] : addressSpellings(text, chains);
}
