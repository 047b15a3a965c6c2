import { displayed, hash256 } from './hashes.js';
import { MalformedError, Reader } from './reader.js';

export interface RawInput {
  /** Name of the transaction whose output is spent, as displayed. */
  readonly txid: string;
  readonly vout: number;
  readonly script: Buffer;
  readonly sequence: number;
  /** Items of the witness; none without one. */
  readonly witness: readonly Buffer[];
}

export interface RawOutput {
  /** Satoshis. */
  readonly value: bigint;
  readonly script: Buffer;
}

/** A transaction as its own bytes say. */
export interface RawTransaction {
  /** Name without witnesses, as displayed. */
  readonly txid: string;
  readonly inputs: readonly RawInput[];
  readonly outputs: readonly RawOutput[];
  /** Bytes of 4 weight units, rounded up. */
  readonly vsize: number;
}

/** The input of a coinbase: it spends nothing. */
const NOTHING = '0'.repeat(64);

const WITNESS = 1;
/** Extension blocks of Litecoin (MWEB): data of their own follows the witnesses. */
const EXTENSION = 8;

/** One transaction and nothing behind it. @throws MalformedError */
export function parseTransaction(hex: string): RawTransaction {
  const reader = new Reader(Buffer.from(hex, 'hex'));
  if (reader.bytes.length * 2 !== hex.length) throw new MalformedError('not the hex of a transaction');
  const read = readTransaction(reader);
  if (reader.at !== reader.bytes.length) throw new MalformedError('a transaction with something behind it');
  return read;
}

export function isCoinbase({ inputs }: Pick<RawTransaction, 'inputs'>): boolean {
  return inputs[0]?.txid === NOTHING;
}

/** @throws MalformedError */
export function readTransaction(reader: Reader): RawTransaction {
  const start = reader.at;
  reader.skip(4);
  const flags = readFlags(reader);
  const bodyStart = reader.at;
  const heads = list(reader, () => {
    const txid = displayed(reader.take(32));
    const vout = reader.uint32();
    const script = Buffer.from(reader.take(reader.compact()));
    return { txid, vout, script, sequence: reader.uint32() };
  });
  const outputs = list(reader, () => ({
    value: reader.uint64(),
    script: Buffer.from(reader.take(reader.compact())),
  }));
  const bodyEnd = reader.at;
  const inputs = heads.map((head) => ({
    ...head,
    witness: (flags & WITNESS) === 0 ? [] : list(reader, () => Buffer.from(reader.take(reader.compact()))),
  }));
  skipExtension(reader, flags);
  const end = lockTimeEnd(reader);
  const { bytes } = reader;
  const stripped = 4 + (bodyEnd - bodyStart) + 4;
  return {
    txid: displayed(nameOf(bytes, { start, bodyStart, bodyEnd, end })),
    inputs,
    outputs,
    vsize: Math.ceil((stripped * 3 + (end - start)) / 4),
  };
}

/** Where the parts of a transaction lie in the bytes. */
export interface Span {
  readonly start: number;
  /** From the count of inputs to the end of the outputs. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
  readonly end: number;
}

/** Name of a transaction, in the order of its bytes: the hash of all but flags and witnesses. */
export function nameOf(bytes: Buffer, { start, bodyStart, bodyEnd, end }: Span): Buffer {
  if (bodyStart === start + 4 && bodyEnd === end - 4) return hash256(bytes.subarray(start, end));
  const parts = [bytes.subarray(start, start + 4), bytes.subarray(bodyStart, bodyEnd), bytes.subarray(end - 4, end)];
  return hash256(Buffer.concat(parts));
}

/** Marker and flags where there are any. A transaction has inputs, so a count of none is the marker. */
export function readFlags(reader: Reader): number {
  if (reader.bytes[reader.at] !== 0) return 0;
  reader.skip(1);
  const flags = reader.byte();
  if (flags === 0 || (flags & ~(WITNESS | EXTENSION)) !== 0)
    throw new MalformedError(`a transaction has the unknown flags ${flags}`);
  return flags;
}

/** In a block nothing of an extension is left but an empty mark; in a pool it may be whole, to the lock time at the end. */
export function skipExtension(reader: Reader, flags: number): void {
  if ((flags & EXTENSION) === 0) return;
  if (reader.byte() === 0) return;
  if (reader.bytes.length - reader.at < 4) throw new MalformedError('the bytes end too early');
  reader.at = reader.bytes.length - 4;
}

export function hasWitness(flags: number): boolean {
  return (flags & WITNESS) !== 0;
}

function lockTimeEnd(reader: Reader): number {
  reader.skip(4);
  return reader.at;
}

function list<T>(reader: Reader, read: () => T): T[] {
  const count = reader.compact();
  const items: T[] = [];
  for (let n = 0; n < count; n += 1) items.push(read());
  return items;
}
