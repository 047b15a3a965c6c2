import type { BlockRef, Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import type { ChainConfig } from '../chain-config.js';
import { blockRef } from '../finality.js';
import { rangeLogs } from '../logs/range-logs.js';
import type { Spans } from '../logs/spans.js';
import { headerAt, ViewMoved } from '../logs/view-moved.js';
import type { RpcBlock, RpcLog } from '../rpc/types.js';
import type { Mark } from './cursor.js';
import { type Watched, watchFilter } from './deposit-logs.js';
import { transferFilter } from './plain-transfers.js';

export interface Scan {
  readonly to: number;
  readonly logs: readonly RpcLog[];
  readonly marks: readonly Mark[];
  readonly blocks: ReadonlyMap<Hex, BlockRef>;
}

export interface ScanWish {
  readonly watched: Watched & Pick<ChainConfig, 'currencies' | 'depositAddresses'>;
  readonly from: number;
  readonly to: number;
  marks(end: number): readonly number[];
}

/**
 * Logs of the blocks after `from`: as many blocks as the provider answers at once, at least one; and block hashes at
 * the heights that `marks` returns.
 *
 * Headers are read before logs: after a reorg in between, the marks are the stale part, which the next pass detects and
 * rescans. Logs are checked against the header at their height afterwards.
 */
export async function scanPart(provider: Provider, spans: Spans, wish: ScanWish): Promise<Scan> {
  const { watched, from } = wish;
  const transfers = transferFilter(watched);
  const filters = [watchFilter(watched), ...(transfers ? [transfers] : [])];
  const headers = new Map<number, RpcBlock>();
  for (;;) {
    const to = Math.min(wish.to, from + spans.of(provider));
    const marks = await marksAt(provider, headers, wish.marks(to));
    const parts = await Promise.all(filters.map((filter) => rangeLogs(provider, spans, filter, from + 1, to)));
    if (!parts.every((part) => part !== undefined)) continue;
    const logs = parts.flat();
    return { to, logs, marks, blocks: await blocksOf(provider, logs) };
  }
}

async function marksAt(
  provider: Provider,
  known: Map<number, RpcBlock>,
  heights: readonly number[],
): Promise<readonly Mark[]> {
  const headers = await Promise.all(heights.map((height) => known.get(height) ?? headerAt(provider, height)));
  headers.forEach((header, n) => {
    known.set(heights[n] ?? 0, header);
    const before = headers[n - 1];
    if (
      before !== undefined &&
      Number(before.number) + 1 === Number(header.number) &&
      header.parentHash !== before.hash
    ) {
      throw new ViewMoved(`block ${Number(header.number)} does not follow its parent`);
    }
  });
  return headers.map(({ number, hash }) => ({ number: Number(number), hash }));
}

async function blocksOf(provider: Provider, logs: readonly RpcLog[]): Promise<ReadonlyMap<Hex, BlockRef>> {
  const heights = [...new Set(logs.map(({ blockNumber }) => Number(blockNumber)))];
  const confirmed = await Promise.all(heights.map((height) => headerAt(provider, height)));
  const blocks = new Map(confirmed.map((block) => [block.hash, blockRef(block)]));
  for (const log of logs) {
    if (!blocks.has(log.blockHash)) throw new ViewMoved(`logs of block ${Number(log.blockNumber)} are of another fork`);
  }
  return blocks;
}

/**
 * Race closed here: a reorg below the start of a scan that was found canonical. The scan would join blocks of two
 * forks, and as its newest mark is canonical, lower blocks would never be read again.
 */
export async function checkStart(provider: Provider, start: Mark): Promise<void> {
  const now = await headerAt(provider, start.number);
  if (now.hash !== start.hash) throw new ViewMoved(`block ${start.number} was replaced while it was continued`);
}
