import { hash } from 'node:crypto';
import { displayed, hash256 } from './hashes.js';
import { MalformedError, Reader } from './reader.js';
import { hasWitness, nameOf, type RawTransaction, readFlags, readTransaction, skipExtension } from './transaction.js';

export interface BlockHeader {
  /** Name, as displayed. */
  readonly id: string;
  readonly parentId: string;
  /** Unix milliseconds, as the miner says. */
  readonly timestamp: number;
}

/**
 * What is looked for in a block. Scripts and outpoints are asked for as text of their bytes (`latin1`): a block has
 * thousands of them, and nearly all are nobody's.
 */
export interface BlockInterest {
  /** An output script. */
  pays(script: string): boolean;
  /** An outpoint as an input spells it: 32 bytes of the name and 4 of the position. */
  spends(outpoint: string): boolean;
}

export interface ScannedBlock extends BlockHeader {
  /** Transactions that pay or spend what is looked for, in the order of the block. */
  readonly found: readonly RawTransaction[];
  readonly transactions: number;
}

const HEADER_BYTES = 80;

/** @throws MalformedError */
export function readHeader(bytes: Buffer): BlockHeader {
  if (bytes.length < HEADER_BYTES) throw new MalformedError('the bytes end too early');
  return {
    id: displayed(hash256(bytes.subarray(0, HEADER_BYTES))),
    parentId: displayed(bytes.subarray(4, 36)),
    timestamp: bytes.readUInt32LE(68) * 1000,
  };
}

/**
 * Walks the bytes of a block once.
 *
 * Invariant: the block has the hash that was asked for, and is complete. Its header hashes to that and commits to every
 * transaction (Merkle root), so that no provider can leave a transaction out or make one up.
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

/** Past one transaction, without making anything of what nobody looks for. */
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
 * Root of the tree of names; of an odd number in a row the last one stands for two. So a list that repeats its end has the
 * same root as the one without: no real block has two equal neighbours in any row.
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

/** An outpoint as `BlockInterest.spends` is asked for it. */
export function outpointText(txid: string, vout: number): string {
  const bytes = Buffer.allocUnsafe(36);
  bytes.set(Buffer.from(txid, 'hex').reverse(), 0);
  bytes.writeUInt32LE(vout, 32);
  return bytes.toString('latin1');
}

/** A script as `BlockInterest.pays` is asked for it. */
export function scriptText(script: Uint8Array): string {
  return Buffer.from(script.buffer, script.byteOffset, script.byteLength).toString('latin1');
}
