import type { OrderId } from '../contract/ids.js';

const WRITTEN = /^\s*(?:0x)?([0-9a-f]{64})\s*$/i;
const MAX_CHARACTERS = 256;

/** 64 hex digits in either case, optional `0x` or `0X` and surrounding white space; else undefined. */
export function writtenOrderId(text: string): OrderId | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const digits = WRITTEN.exec(text)?.[1];
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
}

/** The single order id among a transfer's texts; undefined for none or several different ids. */
export function onlyOrderId(texts: readonly string[]): OrderId | undefined {
  const ids = new Set(texts.flatMap((text) => writtenOrderId(text) ?? []));
  const [only] = ids;
  return ids.size === 1 ? only : undefined;
}
