import type { HttpClient, Identity } from '@causeway/core/rpc';
import { quantity, type RpcBlock } from './rpc/types.js';

export async function identify(
  rpc: HttpClient,
  chainId: number,
  anchor: { readonly height: number; readonly hash: string } | undefined,
): Promise<Identity> {
  const answered = Number(await rpc.request<string>('eth_chainId'));
  if (answered !== chainId) return { is: 'foreign', reason: `serves chain ${answered} instead of ${chainId}` };
  if (anchor === undefined) return { is: 'right' };
  const { height, hash } = anchor;
  const block = await rpc.request<RpcBlock | null>('eth_getBlockByNumber', [quantity(height), false]);
  if (block === null) return { is: 'unknown', reason: `anchor block ${height} not available yet` };
  if (block.hash.toLowerCase() === hash.toLowerCase()) return { is: 'right' };
  return { is: 'foreign', reason: `has block ${height} as ${block.hash} instead of ${hash}` };
}
