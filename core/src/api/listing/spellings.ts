import type { ChainCodec } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';

export type Chains = ReadonlyMap<ChainId, ChainCodec>;

/** Hex is stored in lower case; other alphabets are case-sensitive. */
export function idSpellings(text: string): string[] {
  return /^(0x)?[0-9a-f]+$/i.test(text) ? [...new Set([text.toLowerCase(), text])] : [text];
}

/** Canonical spellings on all chains; the text itself if no chain can read it. */
export function addressSpellings(text: string, chains: Chains): string[] {
  const found = new Set<string>();
  for (const chain of chains.values()) {
    const parsed = chain.parseAddress(text);
    if (parsed.ok) found.add(parsed.value);
  }
  return found.size > 0 ? [...found] : [text];
}

export function currencySpellings(text: string, chains: Chains): string[] {
  const found = new Set<string>();
  for (const chain of chains.values()) {
    const known = chain.currency(text);
    if (known) found.add(known.address);
  }
  return found.size > 0 ? [...found] : addressSpellings(text, chains);
}
