import { NotYetError } from '@causeway/core';
import { type Provider, RpcError, TransportError } from '@causeway/core/rpc';
import { MalformedError } from '../raw/reader.js';
import { parseTransaction, type RawTransaction } from '../raw/transaction.js';

/** A node as a provider: whatever has its client. */
export type Node = Pick<Provider, 'rpc'>;

/** Codes of errors that say nothing about the question: starting, not connected, catching up. Another node may answer. */
const NOT_NOW = new Set([-28, -9, -10]);
/** Nothing by this name. */
const NOT_FOUND = -5;
/** No such height, or another parameter that the node does not like. */
const BAD_PARAMETER = -8;

/** A node threw away the block that is asked for. */
export class PrunedError extends Error {
  override readonly name = 'PrunedError';
}

/** A node's view moved while it was read, or a part of it is a moment behind: nothing was learnt, ask again. */
export class ViewMoved extends NotYetError {
  override readonly name: string = 'ViewMoved';
}

/** The answer is no transaction of a form that this plugin knows, or another transaction than the one asked for. */
export class OddTransaction extends ViewMoved {
  override readonly name = 'OddTransaction';
}

/** What a header tells that is of use here. */
export interface NodeHeader {
  readonly hash: string;
  readonly height: number;
  /** -1 for a block that is not on the node's chain. */
  readonly confirmations: number;
  /** Unix seconds, as the miner says. */
  readonly time: number;
  /** Unix seconds: median of eleven blocks, which never goes back. */
  readonly mediantime: number;
  readonly previousblockhash?: string;
}

/** One call. @throws RpcError where the node refuses, TransportError where nothing was learnt. */
export async function ask<T>({ rpc }: Node, method: string, params: readonly unknown[] = []): Promise<T> {
  try {
    return await rpc.request<T>(method, params);
  } catch (error) {
    if (error instanceof RpcError && NOT_NOW.has(error.code)) throw new TransportError(error.message, 'http');
    throw error;
  }
}

/** Name of the block at a height; undefined above the node's head. */
export async function blockHash(node: Node, height: number): Promise<string | undefined> {
  return unless(BAD_PARAMETER, ask<string>(node, 'getblockhash', [height]));
}

/** Undefined for a block that the node never heard of. */
export async function header(node: Node, id: string): Promise<NodeHeader | undefined> {
  const told = await unless(NOT_FOUND, ask<NodeHeader>(node, 'getblockheader', [id, true]));
  if (told === undefined) return undefined;
  const numbers = [told.height, told.time, told.mediantime, told.confirmations];
  if (told.hash !== id || !numbers.every(Number.isSafeInteger))
    throw new TransportError('a header came back malformed', 'malformed');
  return told;
}

/** Bytes of a block by its name. Undefined where the node does not have it (any more). @throws PrunedError */
export async function blockBytes(node: Node, id: string): Promise<Buffer | undefined> {
  try {
    const hex = await unless(NOT_FOUND, ask<string>(node, 'getblock', [id, 0]));
    return hex === undefined ? undefined : Buffer.from(hex, 'hex');
  } catch (error) {
    if (error instanceof RpcError && /pruned/i.test(error.message)) throw new PrunedError(error.message);
    throw error;
  }
}

/**
 * A transaction from the node's pool or index, or from a block where it is known which one. Undefined where it is in none.
 * The index also remembers blocks that were replaced: where it matters, ask for the block.
 *
 * @throws OddTransaction
 */
export async function transaction(node: Node, txid: string, block?: string): Promise<RawTransaction | undefined> {
  const params = block === undefined ? [txid, 0] : [txid, 0, block];
  const hex = await unless(NOT_FOUND, ask<string>(node, 'getrawtransaction', params));
  if (hex === undefined) return undefined;
  const read = readTransaction(hex, txid);
  // Those that live in extension blocks alone have another kind of name.
  if (read.txid !== txid) throw new OddTransaction(`asked for ${txid}, got ${read.txid}`);
  return read;
}

/** @throws OddTransaction */
export function readTransaction(hex: string, name: string): RawTransaction {
  try {
    return parseTransaction(hex);
  } catch (error) {
    if (error instanceof MalformedError) throw new OddTransaction(`${name}: ${error.message}`);
    throw error;
  }
}

/** What a node tells of a transaction in its pool. */
export interface PoolEntry {
  /** Names of its parents that wait, too. */
  readonly depends: readonly string[];
  /** Names of its children. */
  readonly spentby: readonly string[];
}

/** Undefined for a transaction that does not wait in the node's pool. */
export function poolEntry(node: Node, txid: string): Promise<PoolEntry | undefined> {
  return unless(NOT_FOUND, ask<PoolEntry>(node, 'getmempoolentry', [txid]));
}

/** Undefined in place of one kind of refusal. */
async function unless<T>(code: number, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RpcError && error.code === code) return undefined;
    throw error;
  }
}
