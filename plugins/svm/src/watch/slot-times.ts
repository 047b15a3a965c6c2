import { type HttpClient, TransportError } from '@causeway/core/rpc';

const MAX_REMEMBERED_SLOTS = 1_000;

const known = new WeakMap<HttpClient, Map<number, number>>();

/**
 * Time of a confirmed slot, Unix seconds. Cached per node.
 *
 * @throws TransportError where the node does not know it yet.
 */
export async function slotTime(rpc: HttpClient, slot: number): Promise<number> {
  const times = timesOf(rpc);
  const seen = times.get(slot);
  if (seen !== undefined) return seen;
  const seconds = await rpc.request<number | null>('getBlockTime', [slot]);
  if (seconds === null || !Number.isSafeInteger(seconds)) {
    throw new TransportError(`slot ${slot} has no time yet`, 'malformed');
  }
  const [oldest] = times.keys();
  if (times.size >= MAX_REMEMBERED_SLOTS && oldest !== undefined) times.delete(oldest);
  times.set(slot, seconds);
  return seconds;
}

function timesOf(rpc: HttpClient): Map<number, number> {
  const times = known.get(rpc) ?? new Map<number, number>();
  known.set(rpc, times);
  return times;
}
