import type { Hex } from '@causeway/core';
import type { RpcLog } from '../rpc/types.js';

/** Lower case; a list means any of them, null matches all. */
export interface LogFilter {
  readonly address: Hex | readonly Hex[];
  readonly topics: readonly (Hex | readonly Hex[] | null)[];
}

/** One filter per event. */
export function byEvent({ address, topics }: LogFilter): readonly LogFilter[] {
  const [events, ...rest] = topics;
  if (events == null || typeof events === 'string') return [{ address, topics }];
  return events.map((event) => ({ address, topics: [event, ...rest] }));
}

export function selects({ address, topics }: LogFilter, log: RpcLog): boolean {
  return (
    isAmong(log.address, address) &&
    topics.every((wanted, n) => wanted === null || isAmong(log.topics[n] ?? '', wanted))
  );
}

function isAmong(text: string, wanted: Hex | readonly Hex[]): boolean {
  const lower = text.toLowerCase();
  return typeof wanted === 'string' ? wanted === lower : wanted.some((one) => one === lower);
}
