import type { BlockRef, Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { blockRef } from '../finality.js';
import type { RpcBlock, RpcLog } from '../rpc/types.js';
import { quantity } from '../rpc/types.js';
import type { Mark } from './cursor.js';
import { depositFilter } from './deposit-logs.js';

/** The provider's view moved while it was being read: nothing was learnt, start over. */
export class ViewMoved extends Error {
  override readonly name = 'ViewMoved';
}

export interface Scan {
  readonly logs: readonly RpcLog[];
  readonly marks: readonly Mark[];
  readonly blocks: ReadonlyMap<Hex, BlockRef>;
}

/** Header by height. @throws ViewMoved when the provider does not have it. */
export async function headerAt(provider: Provider, height: number): Promise<RpcBlock> {
  const block = await provider.rpc.request<RpcBlock | null>('eth_getBlockByNumber', [quantity(height), false]);
  if (block === null) throw new ViewMoved(`block ${height} is not there any more`);
  return block;
}

/**
 * All deposit logs of blocks (`from`, `to`] and the hashes of the `wanted` heights among them.
 *
 * Headers are read before logs: if the chain moves in between, the marks are the stale part, and the next pass
 * finds that out at the mark and rescans. Logs are checked against the header their height has afterwards.
 */
export async function scanRange(
  provider: Provider,
  depository: Hex,
  from: number,
  to: number,
  wanted: readonly number[],
  maxRange: number,
): Promise<Scan> {
  const headers = await Promise.all(wanted.map((height) => headerAt(provider, height)));
  headers.forEach((header, n) => {
    const before = headers[n - 1];
    if (
      before !== undefined &&
      Number(before.number) + 1 === Number(header.number) &&
      header.parentHash !== before.hash
    ) {
      throw new ViewMoved(`block ${Number(header.number)} does not follow its parent`);
    }
  });
  const logs: RpcLog[] = [];
  for (let start = from + 1; start <= to; start += maxRange) {
    logs.push(...(await rangeLogs(provider, depository, start, Math.min(to, start + maxRange - 1))));
  }
  const heights = [...new Set(logs.map(({ blockNumber }) => Number(blockNumber)))];
  const confirmed = await Promise.all(heights.map((height) => headerAt(provider, height)));
  const blocks = new Map(confirmed.map((block) => [block.hash, blockRef(block)]));
  for (const log of logs) {
    if (!blocks.has(log.blockHash)) throw new ViewMoved(`logs of block ${Number(log.blockNumber)} are of another fork`);
  }
  return { logs, blocks, marks: headers.map(({ number, hash }) => ({ number: Number(number), hash })) };
}

/**
 * Providers cap ranges by blocks or by results; halving the range meets every such cap. The last block is asked for
 * together with the logs: behind one URL may stand several nodes, and one that lags answers with no logs at all.
 */
async function rangeLogs(provider: Provider, depository: Hex, from: number, to: number): Promise<readonly RpcLog[]> {
  const filter = { ...depositFilter(depository), fromBlock: quantity(from), toBlock: quantity(to) };
  try {
    const [logs] = await Promise.all([
      provider.rpc.request<readonly RpcLog[]>('eth_getLogs', [filter]),
      headerAt(provider, to),
    ]);
    return logs;
  } catch (error) {
    if (!(error instanceof RpcError) || from >= to) throw error;
    const middle = from + Math.floor((to - from) / 2);
    const lower = await rangeLogs(provider, depository, from, middle);
    return [...lower, ...(await rangeLogs(provider, depository, middle + 1, to))];
  }
}
