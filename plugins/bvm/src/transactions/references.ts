import type { FillLeg, Hex, LegInstruction, OrderId } from '@causeway/core';
import type { RawTransaction } from '../raw/transaction.js';
import { returnData } from '../watch/carried.js';

/**
 * How a lane transaction names its legs (core/docs/decisions/0028-utxo-lanes.md). Leg i is output i, followed by one
 * OP_RETURN: for a single fill its order id as text, 66 characters; else the byte 1, the number of legs, the tag
 * length in bits minus one, and the tags, most significant bit first. A tag is a prefix of the leg's reference.
 */
const VERSION = 1;
const OP_RETURN = 0x6a;
const PUSH_1 = 0x4c;
const NO_SCRIPT = Buffer.alloc(0);
const HEADER = 3;
const REFERENCE_BITS = 256;

/** Tag bits that identify a leg among those to the same recipient. */
const CERTAIN = 32;

/** 32 bytes: the order id, or the use key of a withdrawal. */
export function referenceOf(leg: LegInstruction): Hex {
  return leg.kind === 'fill' ? leg.orderId : leg.useKey;
}

/** @param most bytes of such a script that nodes relay. */
export function referenceScript(legs: readonly LegInstruction[], most: number): Buffer {
  const [only] = legs;
  if (legs.length === 1 && only?.kind === 'fill' && scriptBytes(orderText(only).length) <= most)
    return pushed(orderText(only));
  const bits = tagBits(legs.length, payloadBytes(most));
  if (bits === 0) throw new RangeError(`${legs.length} legs cannot be named in ${most} bytes`);
  const tags = legs.map((leg) => BigInt(referenceOf(leg)) >> BigInt(REFERENCE_BITS - bits));
  const packed = tags.reduce((all, tag) => (all << BigInt(bits)) | tag, 0n);
  const bytes = Math.ceil((legs.length * bits) / 8);
  const padded = packed << BigInt(bytes * 8 - legs.length * bits);
  const body = Buffer.from(padded.toString(16).padStart(bytes * 2, '0'), 'hex');
  return pushed(Buffer.concat([Buffer.from([VERSION, legs.length, bits - 1]), body]));
}

export function mostLegs(most: number, bits: number): number {
  return Math.min(REFERENCE_BITS - 1, Math.floor(((payloadBytes(most) - HEADER) * 8) / bits));
}

function orderText({ orderId }: FillLeg): Buffer {
  return Buffer.from(orderId, 'latin1');
}

function tagBits(legs: number, payload: number): number {
  return Math.max(0, Math.min(REFERENCE_BITS, Math.floor(((payload - HEADER) * 8) / legs)));
}

function payloadBytes(most: number): number {
  return most - 2 <= 75 ? most - 2 : most - 3;
}

function scriptBytes(payload: number): number {
  return payload + (payload <= 75 ? 2 : 3);
}

function pushed(payload: Buffer): Buffer {
  const head = payload.length <= 75 ? [OP_RETURN, payload.length] : [OP_RETURN, PUSH_1, payload.length];
  return Buffer.concat([Buffer.from(head), payload]);
}

export interface NamedLeg {
  /** Output index. */
  readonly output: number;
  /** A prefix of the reference and its length in bits. */
  readonly tag: bigint;
  readonly bits: number;
}

export function namedLegs({ outputs }: Pick<RawTransaction, 'outputs'>): readonly NamedLeg[] {
  const at = outputs.findIndex(({ script }) => script[0] === OP_RETURN);
  const payload = returnData(outputs[at]?.script ?? NO_SCRIPT);
  if (payload === undefined) return [];
  const text = payload.toString('latin1');
  if (at === 1 && /^0x[0-9a-f]{64}$/.test(text)) return [{ output: 0, tag: BigInt(text), bits: REFERENCE_BITS }];
  const [version, count = 0, last = 0] = payload;
  const bits = last + 1;
  const body = payload.subarray(HEADER);
  if (version !== VERSION || count === 0 || count !== at || body.length !== Math.ceil((count * bits) / 8)) return [];
  const packed = BigInt(`0x${body.toString('hex')}`);
  return Array.from({ length: count }, (_, n) => {
    const behind = BigInt(body.length * 8 - (n + 1) * bits);
    return { output: n, tag: (packed >> behind) & ((1n << BigInt(bits)) - 1n), bits };
  });
}

export function fits({ tag, bits }: NamedLeg, reference: Hex): boolean {
  return BigInt(reference) >> BigInt(REFERENCE_BITS - bits) === tag;
}

export function isCertain({ bits }: NamedLeg): boolean {
  return bits >= CERTAIN;
}

/** Undefined if the tag is only a prefix. */
export function wholeReference({ tag, bits }: NamedLeg): OrderId | undefined {
  return bits === REFERENCE_BITS ? `0x${tag.toString(16).padStart(64, '0')}` : undefined;
}
