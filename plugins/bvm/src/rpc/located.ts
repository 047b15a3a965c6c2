import { RpcError } from '@causeway/core/rpc';
import { ask, type Node, ViewMoved } from './node.js';

/**
 * From the node's index, which includes stale blocks; undefined if unconfirmed.
 *
 * @throws ViewMoved while the index lags.
 */
export async function located(
  node: Node,
  txid: string,
): Promise<{ readonly hex: string; readonly blockhash: string } | undefined> {
  try {
    const reported = await ask<{ hex: string; blockhash?: string }>(node, 'getrawtransaction', [txid, true]);
    const { hex, blockhash } = reported;
    return blockhash === undefined ? undefined : { hex, blockhash };
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== -5) throw error;
    if (/still.*index/i.test(error.message)) throw new ViewMoved(error.message);
    return undefined;
  }
}
