import type { HttpClient, Identity } from '@causeway/core/rpc';
import type { Network } from './network.js';
import { ask, blockHash } from './rpc/node.js';

export interface ChainInfo {
  readonly blocks: number;
  readonly headers: number;
  readonly bestblockhash: string;
  /** Of the newest block, Unix seconds; older nodes report only the median. */
  readonly time?: number;
  readonly mediantime: number;
}

/** Blocks behind its headers from which a node counts as catching up. */
const FAR_BEHIND = 3;

/** Undefined unless a node has not validated what it knows to exist. */
export function catchingUp({ blocks, headers }: Pick<ChainInfo, 'blocks' | 'headers'>): string | undefined {
  return headers - blocks > FAR_BEHIND ? `is catching up, at block ${blocks} of ${headers}` : undefined;
}

/** Compares the genesis block, and the anchor block if configured: forks and signets share a genesis. */
export async function identify(
  rpc: HttpClient,
  network: Network,
  anchor: { readonly height: number; readonly hash: string } | undefined,
): Promise<Identity> {
  const node = { rpc };
  const first = await blockHash(node, 0);
  if (first !== network.genesis)
    return { is: 'foreign', reason: `serves the chain that begins with ${first} instead of ${network.genesis}` };
  const behind = catchingUp(await ask<ChainInfo>(node, 'getblockchaininfo'));
  if (behind !== undefined) return { is: 'unknown', reason: behind };
  if (anchor === undefined) return { is: 'right' };
  const { height, hash } = anchor;
  const found = await blockHash(node, height);
  if (found === undefined) return { is: 'unknown', reason: `anchor block ${height} not available yet` };
  if (found === hash) return { is: 'right' };
  return { is: 'foreign', reason: `has block ${height} as ${found} instead of ${hash}` };
}
