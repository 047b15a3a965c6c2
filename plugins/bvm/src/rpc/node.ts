import { NotYetError } from '@causeway/core';
import { type Provider, RpcError, TransportError } from '@causeway/core/rpc';
import { MalformedError } from '../raw/reader.js';
import { parseTransaction, type RawTransaction } from '../raw/transaction.js';

export type Node = Pick<Provider, 'rpc'>;

/** Starting, not connected, catching up: another node may answer. */
const NOT_NOW = new Set([-28, -9, -10]);
/** Nothing by this id. */
const NOT_FOUND = -5;
/** No such height, or another invalid parameter. */
const BAD_PARAMETER = -8;

export class PrunedError extends Error {
  override readonly name = 'PrunedError';
}

/** The node's view moved during a read, or an index lags: retry. */
export class ViewMoved extends NotYetError {
  override readonly name: string = 'ViewMoved';
}

/** Unknown transaction format, or another transaction than requested. */
export class OddTransaction extends ViewMoved {
  override readonly name = 'OddTransaction';
}

export interface NodeHeader {
  readonly hash: string;
  readonly height: number;
  /** -1 off the node's chain. */
  readonly confirmations: number;
  /** Unix seconds, by the miner. */
  readonly time: number;
  /** Unix seconds, median of 11 blocks; never decreases. */
  readonly mediantime: number;
  readonly previousblockhash?: string;
}

/** @throws RpcError if the node refuses, TransportError if nothing was learnt. */
export async function ask<T>({ rpc }: Node, method: string, params: readonly unknown[] = []): Promise<T> {
  try {
    return await rpc.request<T>(method, params);
  } catch (error) {
    if (error instanceof RpcError && NOT_NOW.has(error.code)) throw new TransportError(error.message, 'http');
    throw error;
  }
}

/** Undefined above the node's head. */
export async function blockHash(node: Node, height: number): Promise<string | undefined> {
  return unless(BAD_PARAMETER, ask<string>(node, 'getblockhash', [height]));
}

/** Undefined if unknown. */
export async function header(node: Node, id: string): Promise<NodeHeader | undefined> {
  const reported = await unless(NOT_FOUND, ask<NodeHeader>(node, 'getblockheader', [id, true]));
  if (reported === undefined) return undefined;
  const numbers = [reported.height, reported.time, reported.mediantime, reported.confirmations];
  if (reported.hash !== id || !numbers.every(Number.isSafeInteger))
    throw new TransportError('a header came back malformed', 'malformed');
  return reported;
}

/** Undefined if the node does not have it. @throws PrunedError */
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
 * From mempool or index, or from a given block; else undefined. The index includes stale blocks: pass the block when
 * it matters.
 *
 * @throws OddTransaction
 */
export async function transaction(node: Node, txid: string, block?: string): Promise<RawTransaction | undefined> {
  const params = block === undefined ? [txid, 0] : [txid, 0, block];
  const hex = await unless(NOT_FOUND, ask<string>(node, 'getrawtransaction', params));
  if (hex === undefined) return undefined;
  const read = readTransaction(hex, txid);
  // Transactions within extension blocks have another kind of id.
  if (read.txid !== txid) throw new OddTransaction(`asked for ${txid}, got ${read.txid}`);
  return read;
}

export function readTransaction(hex: string, name: string): RawTransaction {
  try {
    return parseTransaction(hex);
  } catch (error) {
    if (error instanceof MalformedError) throw new OddTransaction(`${name}: ${error.message}`);
    throw error;
  }
}

export interface PoolEntry {
  /** Unconfirmed parents. */
  readonly depends: readonly string[];
  /** Children. */
  readonly spentby: readonly string[];
}

export function poolEntry(node: Node, txid: string): Promise<PoolEntry | undefined> {
  return unless(NOT_FOUND, ask<PoolEntry>(node, 'getmempoolentry', [txid]));
}

async function unless<T>(code: number, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RpcError && error.code === code) return undefined;
    throw error;
  }
}
