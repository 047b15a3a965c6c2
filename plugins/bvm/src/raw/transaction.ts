import { displayed, hash256 } from './hashes.js';
import { MalformedError, Reader } from './reader.js';

export interface RawInput {
  /** Of the spent output, as displayed. */
  readonly txid: string;
  readonly vout: number;
  readonly script: Buffer;
  readonly sequence: number;
  /** Empty without a witness. */
  readonly witness: readonly Buffer[];
}

export interface RawOutput {
  readonly value: bigint;
  readonly script: Buffer;
}

export interface RawTransaction {
  /** Without witnesses, as displayed. */
  readonly txid: string;
  readonly inputs: readonly RawInput[];
  readonly outputs: readonly RawOutput[];
  readonly vsize: number;
}

/** Previous txid of a coinbase input. */
const NULL_TXID = '0'.repeat(64);

const WITNESS = 1;
/** Litecoin extension blocks (MWEB): data after the witnesses. */
const EXTENSION = 8;

/** Rejects trailing bytes. @throws MalformedError */
export function parseTransaction(hex: string): RawTransaction {
  const reader = new Reader(Buffer.from(hex, 'hex'));
  if (reader.bytes.length * 2 !== hex.length) throw new MalformedError('not the hex of a transaction');
  const read = readTransaction(reader);
  if (reader.at !== reader.bytes.length) throw new MalformedError('a transaction with trailing bytes');
  return read;
}

export function isCoinbase({ inputs }: Pick<RawTransaction, 'inputs'>): boolean {
  return inputs[0]?.txid === NULL_TXID;
}

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

/** Byte offsets. */
export interface Span {
  readonly start: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
  readonly end: number;
}

/** Internal byte order: the hash without flags and witnesses. */
export function nameOf(bytes: Buffer, { start, bodyStart, bodyEnd, end }: Span): Buffer {
  if (bodyStart === start + 4 && bodyEnd === end - 4) return hash256(bytes.subarray(start, end));
  const parts = [bytes.subarray(start, start + 4), bytes.subarray(bodyStart, bodyEnd), bytes.subarray(end - 4, end)];
  return hash256(Buffer.concat(parts));
}

/** An input count of zero is the segwit marker. */
export function readFlags(reader: Reader): number {
  if (reader.bytes[reader.at] !== 0) return 0;
  reader.skip(1);
  const flags = reader.byte();
  if (flags === 0 || (flags & ~(WITNESS | EXTENSION)) !== 0)
    throw new MalformedError(`a transaction has the unknown flags ${flags}`);
  return flags;
}

/** In a block only an empty mark remains; in the mempool it may be complete, up to the lock time. */
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
