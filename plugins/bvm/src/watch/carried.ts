import { bytesToHex, type OrderId, writtenOrderId } from '@causeway/core';
import { parseAddress } from '../addresses.js';
import type { Network } from '../network.js';

export interface Carried {
  readonly orderId: OrderId;
  /** Undefined without a valid address of this network. */
  readonly depositor: string | undefined;
  /** Exactly as in a quote's steps, hence unambiguous. */
  readonly isExact: boolean;
}

const RETURN = 0x6a;
const PUSHDATA1 = 0x4c;
const PUSHDATA2 = 0x4d;

/** An id as `writtenOrderId` reads it, optionally followed by `|depositor=<address>|`. */
const TEXT = /^([^|]*?)(?:\|depositor=([^|]*)\|\s*)?$/;
const EXACT = /^0x[0-9a-fA-F]{64}(?:\||$)/;
const RAW_BYTES = 32;

/** Data of a single-push OP_RETURN; undefined for other scripts. */
export function returnData(script: Buffer): Buffer | undefined {
  if (script[0] !== RETURN) return undefined;
  const push = script[1] ?? 0;
  const [start, length] =
    push < PUSHDATA1
      ? [2, push]
      : push === PUSHDATA1
        ? [3, script[2] ?? 0]
        : push === PUSHDATA2 && script.length >= 4
          ? [4, script.readUInt16LE(2)]
          : [0, 0];
  return length > 0 && script.length === start + length ? script.subarray(start) : undefined;
}

/** Undefined unless the script names an order as text or as 32 bytes. */
export function carried(script: Buffer, network: Network): Carried | undefined {
  const data = returnData(script);
  // A longer text is no address.
  if (data === undefined || data.length > 256) return undefined;
  if (data.length === RAW_BYTES) return { orderId: bytesToHex(data), depositor: undefined, isExact: false };
  const text = data.toString('latin1');
  const [, id, named] = TEXT.exec(text) ?? [];
  const orderId = id === undefined ? undefined : writtenOrderId(id);
  if (orderId === undefined) return undefined;
  const parsed = named === undefined ? undefined : parseAddress(named, network);
  return { orderId, depositor: parsed?.ok ? parsed.value : undefined, isExact: EXACT.test(text) };
}

/**
 * The first output that names an order exactly; else the only order named in other forms. Undefined if these name
 * several: any 32 bytes could be an id.
 */
export function carriedBy(scripts: readonly Buffer[], network: Network): Carried | undefined {
  const all = scripts.flatMap((script) => carried(script, network) ?? []);
  const exact = all.find(({ isExact }) => isExact);
  if (exact !== undefined) return exact;
  const [first, ...more] = all;
  return more.every(({ orderId }) => orderId === first?.orderId) ? first : undefined;
}
