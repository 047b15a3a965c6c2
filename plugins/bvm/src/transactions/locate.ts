import type { BlockRef } from '@causeway/core';
import { RpcError, TransportError } from '@causeway/core/rpc';
import { parseTransaction, type RawTransaction } from '../raw/transaction.js';
import { ask, header, type Node } from '../rpc/node.js';
import { timeOf } from '../watch/heads.js';

export interface Located {
  readonly tx: RawTransaction;
  /** On the node's chain; null while in the mempool. */
  readonly block: BlockRef | null;
}

interface Reported {
  readonly hex: string;
  readonly blockhash?: string;
  /** Absent for a stale block that the index still has. */
  readonly confirmations?: number;
}

const NOT_FOUND = -5;

/** In a block of the node's chain or its mempool, else undefined. Needs `txindex=1`. */
export async function locate(node: Node, txid: string): Promise<Located | undefined> {
  const reported = await verbose(node, txid);
  if (reported === undefined) return undefined;
  const tx = parseTransaction(reported.hex);
  if (tx.txid !== txid) throw new TransportError(`asked for ${txid}, got ${tx.txid}`, 'malformed');
  if (reported.blockhash === undefined) return { tx, block: null };
  const found = await header(node, reported.blockhash);
  if (found === undefined || found.confirmations < 1) return undefined;
  return { tx, block: { height: found.height, id: found.hash, timestamp: timeOf(found, 'header') } };
}

async function verbose(node: Node, txid: string): Promise<Reported | undefined> {
  try {
    return await ask<Reported>(node, 'getrawtransaction', [txid, true]);
  } catch (error) {
    if (error instanceof RpcError && error.code === NOT_FOUND) return undefined;
    throw error;
  }
}
