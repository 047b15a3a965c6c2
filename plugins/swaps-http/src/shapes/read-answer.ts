import { type ExactJson, type Hex, isHex, MAX_UINT256, numberText, parseExact, pointTo } from '@causeway/core';
import type { Pointers } from './shape.js';

/** Canonical form, unverified. */
export interface Reported {
  readonly amountIn?: bigint;
  readonly amountOut?: bigint;
  readonly to?: string;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly spender?: string;
  readonly gas?: bigint;
  readonly height?: number;
}

export type Reading =
  | { readonly ok: true; readonly reported: Reported; readonly document: ExactJson }
  /** `none`: no route. `nonsense`: unreadable. Quotes nothing of the answer. */
  | { readonly ok: false; readonly is: 'none' | 'nonsense'; readonly why: string };

const DECIMAL = /^(0|[1-9]\d{0,77})$/;
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * Never throws. A malformed field, or a missing one of `needs`, makes all of it nonsense, unless the answer says that
 * there is no route.
 */
export function readAnswer(pointers: Pointers, body: string, needs: readonly (keyof Reported)[]): Reading {
  let document: ExactJson;
  try {
    document = parseExact(body);
  } catch {
    return { ok: false, is: 'nonsense', why: 'the answer is not JSON' };
  }
  const at = (name: keyof Pointers): ExactJson => {
    const pointer = pointers[name];
    return pointer === undefined ? undefined : (pointTo(document, pointer) ?? undefined);
  };
  if (isError(at('error'))) return { ok: false, is: 'none', why: 'it answers with an error' };
  if (at('available') === false) return { ok: false, is: 'none', why: 'it has no liquidity for this' };
  const wrong: string[] = [];
  const reported = <T>(name: keyof Pointers, read: (value: ExactJson) => T | undefined): T | undefined => {
    const value = at(name);
    if (value === undefined) return undefined;
    const known = read(value);
    if (known === undefined) wrong.push(name);
    return known;
  };
  const [gas, height] = [amountOf(at('gas')), amountOf(at('height'))];
  const all = {
    ...{
      amountIn: reported('amountIn', amountOf),
      amountOut: reported('amountOut', amountOf),
      value: reported('value', amountOf),
    },
    ...{ to: reported('to', addressOf), spender: reported('spender', addressOf), data: reported('data', dataOf) },
    // Informative only, and some shapes write nothing sensible here.
    ...{ gas, height: height !== undefined && height <= Number.MAX_SAFE_INTEGER ? Number(height) : undefined },
  };
  if (wrong.length > 0) return { ok: false, is: 'nonsense', why: `its ${wrong.join(', ')} cannot be read` };
  const missing = needs.filter((name) => all[name] === undefined);
  if (missing.length > 0) return { ok: false, is: 'nonsense', why: `it does not say ${missing.join(', ')}` };
  const known = Object.entries(all).filter(([, value]) => value !== undefined);
  return { ok: true, reported: Object.fromEntries(known) as Reported, document };
}

/** A non-negative integer that fits 256 bits, decimal or hex, as a number or a text. */
function amountOf(value: ExactJson): bigint | undefined {
  const text = numberText(value);
  if (text === undefined || !(DECIMAL.test(text) || QUANTITY.test(text))) return undefined;
  const amount = BigInt(text);
  return amount <= MAX_UINT256 ? amount : undefined;
}

function addressOf(value: ExactJson): string | undefined {
  return typeof value === 'string' && ADDRESS.test(value) ? value.toLowerCase() : undefined;
}

function dataOf(value: ExactJson): Hex | undefined {
  return typeof value === 'string' && isHex(value) ? (value.toLowerCase() as Hex) : undefined;
}

function isError(value: ExactJson): boolean {
  if (value === undefined || value === null || value === false || value === '') return false;
  return numberText(value) !== '0';
}
