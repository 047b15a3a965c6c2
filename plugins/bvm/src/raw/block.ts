import { hash } from 'node:crypto';
import { displayed, hash256 } from './hashes.js';
import { MalformedError, Reader } from './reader.js';
import { hasWitness, nameOf, type RawTransaction, readFlags, readTransaction, skipExtension } from './transaction.js';

export interface BlockHeader {
  readonly id: string;
  readonly parentId: string;
  /** Unix milliseconds, by the miner. */
  readonly timestamp: number;
}

/** Scripts and outpoints are `latin1` text of their bytes: a block has thousands, nearly all irrelevant. */
export interface BlockInterest {
  pays(script: string): boolean;
  /** As inputs encode it: 32 bytes of txid and 4 of index. */
  spends(outpoint: string): boolean;
}

export interface ScannedBlock extends BlockHeader {
  /** In block order. */
  readonly found: readonly RawTransaction[];
  readonly transactions: number;
}

const HEADER_BYTES = 80;

export function readHeader(bytes: Buffer): BlockHeader {
  if (bytes.length < HEADER_BYTES) throw new MalformedError('the bytes end too early');
  return {
    id: displayed(hash256(bytes.subarray(0, HEADER_BYTES))),
    parentId: displayed(bytes.subarray(4, 36)),
    timestamp: bytes.readUInt32LE(68) * 1000,
  };
}

/**
 * One pass over the bytes.
 *
 * Invariant: the block has the requested hash and is complete. Its header hashes to that and commits to every
 * transaction (Merkle root), so no provider can omit or invent one.
 *
 * @throws MalformedError
 */
export function scanBlock(bytes: Buffer, id: string, interest: BlockInterest): ScannedBlock {
  const header = readHeader(bytes);
  if (header.id !== id) throw new MalformedError(`asked for block ${id}, got ${header.id}`);
  const reader = new Reader(bytes);
  reader.skip(HEADER_BYTES);
  const count = reader.compact();
  const names: Buffer[] = [];
  const found: RawTransaction[] = [];
  for (let n = 0; n < count; n += 1) {
    const start = reader.at;
    const { name, wanted } = walk(reader, interest);
    names.push(name);
    if (wanted) found.push(readTransaction(new Reader(bytes.subarray(start, reader.at))));
  }
  if (!merkleRoot(names).equals(bytes.subarray(36, 68)))
    throw new MalformedError(`block ${id} does not hold what its header says`);
  return { ...header, found, transactions: count };
}

/** Skips a transaction without allocating for irrelevant parts. */
function walk(reader: Reader, interest: BlockInterest): { readonly name: Buffer; readonly wanted: boolean } {
  const { bytes } = reader;
  const start = reader.at;
  let wanted = false;
  reader.skip(4);
  const flags = readFlags(reader);
  const bodyStart = reader.at;
  const inputs = reader.compact();
  for (let n = 0; n < inputs; n += 1) {
    reader.skip(36);
    wanted = interest.spends(bytes.toString('latin1', reader.at - 36, reader.at)) || wanted;
    reader.skip(reader.compact());
    reader.skip(4);
  }
  const outputs = reader.compact();
  for (let n = 0; n < outputs; n += 1) {
    reader.skip(8);
    const length = reader.compact();
    reader.skip(length);
    wanted = interest.pays(bytes.toString('latin1', reader.at - length, reader.at)) || wanted;
  }
  const bodyEnd = reader.at;
  for (let n = 0; n < inputs && hasWitness(flags); n += 1) {
    const items = reader.compact();
    for (let item = 0; item < items; item += 1) reader.skip(reader.compact());
  }
  skipExtension(reader, flags);
  reader.skip(4);
  return { name: nameOf(bytes, { start, bodyStart, bodyEnd, end: reader.at }), wanted };
}

/**
 * The last hash of an odd row is paired with itself. A list with a repeated end has the same root (CVE-2012-2459),
 * but no valid block has equal neighbours in any row.
 */
function merkleRoot(names: readonly Buffer[]): Buffer {
  let row = names;
  if (row.length === 0) throw new MalformedError('a block without transactions');
  const pair = Buffer.allocUnsafe(64);
  while (row.length > 1) {
    const next: Buffer[] = [];
    for (let n = 0; n < row.length; n += 2) {
      const left = row[n] as Buffer;
      const right = row[n + 1];
      if (right?.equals(left)) throw new MalformedError('a block repeats its transactions');
      pair.set(left, 0);
      pair.set(right ?? left, 32);
      next.push(hash('sha256', hash('sha256', pair, 'buffer'), 'buffer'));
    }
    row = next;
  }
  return row[0] as Buffer;
}

export function outpointText(txid: string, vout: number): string {
  const bytes = Buffer.allocUnsafe(36);
  bytes.set(Buffer.from(txid, 'hex').reverse(), 0);
  bytes.writeUInt32LE(vout, 32);
  return bytes.toString('latin1');
}

export function scriptText(script: Uint8Array): string {
  return Buffer.from(script.buffer, script.byteOffset, script.byteLength).toString('latin1');
}
