import { type Hex, type OrderId, writtenOrderId } from '@causeway/core';
import { beginCell, type Cell } from '@ton/core';

const TEXT = 0;
const ENCRYPTED_TEXT = 0x2167da4b;
const ID = /^0x[0-9a-fA-F]{64}$/;
/** Longer than any id; a stranger's comment may be as long as a message. */
const MOST = 200;

/** What a message says in words: 32 bytes as text, as a name of what it is for. */
export function nameComment(name: Hex): Cell {
  return beginCell().storeUint(TEXT, 32).storeStringTail(name).endCell();
}

/** The 32 bytes that a comment names, lower case; undefined for anything else, also for more than them. Never throws. */
export function nameOf(body: Cell): Hex | undefined {
  const text = textOf(body);
  return text !== undefined && ID.test(text) ? (text.toLowerCase() as Hex) : undefined;
}

/** The order that a person's comment names, however its id is written, also where the mark of a text is missing. Never throws. */
export function orderNamed(body: Cell): OrderId | undefined {
  const text = textOf(body) ?? textOf(body, false);
  return text === undefined ? undefined : writtenOrderId(text);
}

function textOf(body: Cell, marked = true): string | undefined {
  try {
    const slice = body.beginParse();
    if (marked && (slice.remainingBits < 32 || slice.loadUint(32) !== TEXT)) return undefined;
    if (slice.remainingBits % 8 !== 0 || slice.remainingBits > MOST * 8) return undefined;
    return slice.loadStringTail();
  } catch {
    return undefined;
  }
}

/**
 * Whether a message is a person's transfer: without a word, with one, or with one that only its reader can read. Never throws: cells of
 * other kinds than data are no words.
 */
export function isPlain(body: Cell): boolean {
  if (body.isExotic) return false;
  const slice = body.beginParse();
  if (slice.remainingBits === 0) return true;
  if (slice.remainingBits < 32) return false;
  const op = slice.loadUint(32);
  return op === TEXT || op === ENCRYPTED_TEXT;
}
