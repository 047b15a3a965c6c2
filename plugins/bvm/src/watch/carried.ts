import type { OrderId } from '@causeway/core';
import { orderIdOf, parseAddress } from '../addresses.js';
import type { Network } from '../network.js';

/** What an OP_RETURN says of a deposit. */
export interface Carried {
  readonly orderId: OrderId;
  /** Whom it names as depositor; undefined where it names nobody, or no address of this network. */
  readonly depositor: string | undefined;
}

const RETURN = 0x6a;
const PUSHDATA1 = 0x4c;
const PUSHDATA2 = 0x4d;

/** The id's text, `0x` and 64 hex digits, and nothing else but perhaps `|depositor=<address>|`. */
const TEXT = /^(0x[0-9a-fA-F]{64})(?:\|depositor=([^|]*)\|)?$/;

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

/** Undefined for scripts that name no order. */
export function carried(script: Buffer, network: Network): Carried | undefined {
  const data = returnData(script);
  // Longer than any address: not worth a look.
  if (data === undefined || data.length > 256) return undefined;
  const [, id, named] = TEXT.exec(data.toString('latin1')) ?? [];
  const orderId = id === undefined ? undefined : orderIdOf(id);
  if (orderId === undefined) return undefined;
  const parsed = named === undefined ? undefined : parseAddress(named, network);
  return { orderId, depositor: parsed?.ok ? parsed.value : undefined };
}
