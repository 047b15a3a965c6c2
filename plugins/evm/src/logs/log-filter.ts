import type { Hex } from '@causeway/core';
import type { RpcLog } from '../rpc/types.js';

/** `address` and `topics` of a log query, all in lower case; a list means any of them, null whatever there is. */
export interface LogFilter {
  readonly address: Hex | readonly Hex[];
  readonly topics: readonly (Hex | readonly Hex[] | null)[];
}

/** Filters for one event each that together see the same. */
export function byEvent({ address, topics }: LogFilter): readonly LogFilter[] {
  const [events, ...rest] = topics;
  if (events == null || typeof events === 'string') return [{ address, topics }];
  return events.map((event) => ({ address, topics: [event, ...rest] }));
}

/** Whether a log query with this filter sees a log. */
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
