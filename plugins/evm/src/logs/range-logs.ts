import { isTransportError, type Provider, RpcError } from '@causeway/core/rpc';
import type { RpcLog } from '../rpc/types.js';
import { quantity } from '../rpc/types.js';
import { blockLogs } from './block-logs.js';
import type { LogFilter } from './log-filter.js';
import type { Spans } from './spans.js';
import { isTooMuch } from './too-much.js';
import { headerAt } from './view-moved.js';

/**
 * Logs of `from` to `to` inclusive; undefined if the range is too large for the provider, and `spans` then holds a
 * smaller one. A single block is never too large.
 *
 * The last block is requested together with the logs: a lagging node behind a shared URL returns no logs at all.
 */
export async function rangeLogs(
  provider: Provider,
  spans: Spans,
  filter: LogFilter,
  from: number,
  to: number,
): Promise<readonly RpcLog[] | undefined> {
  const blocks = to - from + 1;
  const query = { ...filter, fromBlock: quantity(from), toBlock: quantity(to) };
  try {
    const [logs] = await Promise.all([
      provider.rpc.request<readonly RpcLog[]>('eth_getLogs', [query]),
      headerAt(provider, to),
    ]);
    spans.served(provider, blocks, logs.length);
    return logs;
  } catch (error) {
    if (isRefusal(error)) spans.refused(provider, blocks);
    if (!isTooMuch(error)) throw error;
    if (blocks > 1) return undefined;
  }
  const { hash } = await headerAt(provider, to);
  return blockLogs(provider, filter, { number: to, hash });
}

/** A smaller range may be accepted, whatever the error. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof RpcError || (isTransportError(error) && error.failure !== 'network' && error.failure !== 'none')
  );
}

export async function* logsBackwards(
  provider: Provider,
  spans: Spans,
  filter: LogFilter,
  head: number,
  floor: number,
): AsyncGenerator<readonly RpcLog[]> {
  let to = head;
  while (to >= floor) {
    const from = Math.max(floor, to - spans.of(provider) + 1);
    const logs = await rangeLogs(provider, spans, filter, from, to).catch((error: unknown) => {
      if (from === to || !isRefusal(error) || (isTransportError(error) && error.failure === 'timeout')) throw error;
      return undefined;
    });
    if (logs === undefined) continue;
    yield logs;
    to = from - 1;
  }
}
