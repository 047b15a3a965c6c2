import { bytesToHex, type OrderId, writtenOrderId } from '@causeway/core';
import { parseAddress } from '../addresses.js';
import type { Network } from '../network.js';

/** What an OP_RETURN says of a deposit. */
export interface Carried {
  readonly orderId: OrderId;
  /** Whom it names as depositor; undefined where it names nobody, or no address of this network. */
  readonly depositor: string | undefined;
  /** Written as the steps of a quote write it, so that nothing else is meant. */
  readonly isExact: boolean;
}

const RETURN = 0x6a;
const PUSHDATA1 = 0x4c;
const PUSHDATA2 = 0x4d;

/** The text of an id, as `writtenOrderId` reads it, perhaps with `|depositor=<address>|` behind it. */
const TEXT = /^([^|]*?)(?:\|depositor=([^|]*)\|\s*)?$/;
const EXACT = /^0x[0-9a-fA-F]{64}(?:\||$)/;
const RAW_BYTES = 32;

/** The bytes that an OP_RETURN output carries in one push; undefined for any other script. */
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

/** Undefined for scripts that name no order: neither its text nor its 32 bytes. */
export function carried(script: Buffer, network: Network): Carried | undefined {
  const data = returnData(script);
  // Longer than any address: not worth a look.
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
 * What a transaction says of its deposit: the first output that names an order exactly; else the one order that outputs name in other
 * forms. Undefined where these are several: any 32 bytes could be a name.
 */
export function carriedBy(scripts: readonly Buffer[], network: Network): Carried | undefined {
  const all = scripts.flatMap((script) => carried(script, network) ?? []);
  const exact = all.find(({ isExact }) => isExact);
  if (exact !== undefined) return exact;
  const [first, ...more] = all;
  return more.every(({ orderId }) => orderId === first?.orderId) ? first : undefined;
}
