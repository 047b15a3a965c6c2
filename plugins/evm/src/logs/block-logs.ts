import type { Provider } from '@causeway/core/rpc';
import type { RpcLog } from '../rpc/types.js';
import { type NamedBlock, receiptsOf } from './block-receipts.js';
import { byEvent, type LogFilter, selects } from './log-filter.js';
import { isTooMuch } from './too-much.js';

/**
 * Queried by hash, in order: a node without the block refuses instead of returning nothing. A block too large for one
 * response is queried per event, and finally read from its receipts.
 */
export async function blockLogs(provider: Provider, filter: LogFilter, block: NamedBlock): Promise<readonly RpcLog[]> {
  const whole = await answered(provider, filter, block);
  if (whole !== undefined) return whole;
  const events = byEvent(filter);
  const apart =
    events.length > 1 ? await Promise.all(events.map((one) => answered(provider, one, block))) : [undefined];
  if (apart.every((logs) => logs !== undefined)) return inOrder(apart.flat());
  const receipts = await receiptsOf(provider, block);
  return inOrder(receipts.flatMap(({ logs }) => logs.filter((log) => selects(filter, log))));
}

async function answered(
  { rpc }: Provider,
  filter: LogFilter,
  { hash }: NamedBlock,
): Promise<readonly RpcLog[] | undefined> {
  try {
    return await rpc.request<readonly RpcLog[]>('eth_getLogs', [{ ...filter, blockHash: hash }]);
  } catch (error) {
    if (isTooMuch(error)) return undefined;
    throw error;
  }
}

function inOrder(logs: readonly RpcLog[]): readonly RpcLog[] {
  return [...logs].sort((a, b) => Number(a.logIndex) - Number(b.logIndex));
}
