import { type Hex, type OrderId, writtenOrderId } from '@causeway/core';
import { beginCell, type Cell } from '@ton/core';

const TEXT = 0;
const ENCRYPTED_TEXT = 0x2167da4b;
const ID = /^0x[0-9a-fA-F]{64}$/;
/** Longer than any id; a third party's comment may be as long as a message. */
const MAX_BYTES = 200;

/** A text comment of 32 bytes that names what a payment is for. */
export function nameComment(name: Hex): Cell {
  return beginCell().storeUint(TEXT, 32).storeStringTail(name).endCell();
}

/** The 32 bytes named by a comment, lower case; undefined for anything else, also longer texts. Never throws. */
export function nameOf(body: Cell): Hex | undefined {
  const text = textOf(body);
  return text !== undefined && ID.test(text) ? (text.toLowerCase() as Hex) : undefined;
}

/** Some clients name the payer after the order; here the chain does. */
const DEPOSITOR = /\|depositor=[^|]*\|\s*$/;

/** The order named by a person's comment, in any spelling of its id and with or without the text mark. Never throws. */
export function orderNamed(body: Cell): OrderId | undefined {
  const text = textOf(body) ?? textOf(body, false);
  return text === undefined ? undefined : writtenOrderId(text.replace(DEPOSITOR, ''));
}

function textOf(body: Cell, marked = true): string | undefined {
  try {
    const slice = body.beginParse();
    if (marked && (slice.remainingBits < 32 || slice.loadUint(32) !== TEXT)) return undefined;
    if (slice.remainingBits % 8 !== 0 || slice.remainingBits > MAX_BYTES * 8) return undefined;
    return slice.loadStringTail();
  } catch {
    return undefined;
  }
}

/** Whether a message is a person's transfer: without a comment, with one, or with an encrypted one. Never throws. */
export function isPlain(body: Cell): boolean {
  // guard: ton-exotic-cells
  if (body.isExotic) return false;
  const slice = body.beginParse();
  if (slice.remainingBits === 0) return true;
  if (slice.remainingBits < 32) return false;
  const op = slice.loadUint(32);
  return op === TEXT || op === ENCRYPTED_TEXT;
}
