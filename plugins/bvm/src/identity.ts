import type { HttpClient, Identity } from '@causeway/core/rpc';
import type { Network } from './network.js';
import { ask, blockHash } from './rpc/node.js';

interface ChainInfo {
  readonly blocks: number;
  readonly headers: number;
}

/** Blocks behind its headers from which a node counts as catching up. */
const FAR_BEHIND = 3;

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
  const { blocks, headers } = await ask<ChainInfo>(node, 'getblockchaininfo');
  if (headers - blocks > FAR_BEHIND)
    return { is: 'unknown', reason: `is catching up, at block ${blocks} of ${headers}` };
  if (anchor === undefined) return { is: 'right' };
  const { height, hash } = anchor;
  const found = await blockHash(node, height);
  if (found === undefined) return { is: 'unknown', reason: `anchor block ${height} not available yet` };
  if (found === hash) return { is: 'right' };
  return { is: 'foreign', reason: `has block ${height} as ${found} instead of ${hash}` };
}
