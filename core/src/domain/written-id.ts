import type { OrderId } from '../contract/ids.js';

const WRITTEN = /^\s*(?:0x)?([0-9a-f]{64})\s*$/i;
/** Longer than an id with the white space that a wallet may add. */
const MOST = 256;

/**
 * The order id that a text is: 64 hex digits in either case, with or without `0x` or `0X`, between white space. Undefined for any other
 * text, as for one that holds more than an id.
 */
export function writtenOrderId(text: string): OrderId | undefined {
  if (text.length > MOST) return undefined;
  const digits = WRITTEN.exec(text)?.[1];
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
}

/** The one order id among texts that a transfer carries; undefined where none of them is an id, or where they are different ids. */
export function onlyOrderId(texts: readonly string[]): OrderId | undefined {
  const ids = new Set(texts.flatMap((text) => writtenOrderId(text) ?? []));
  const [only] = ids;
  return ids.size === 1 ? only : undefined;
}
