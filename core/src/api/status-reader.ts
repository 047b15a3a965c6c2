import type { RequestId } from '../contract/ids.js';
import type { StatusView, Store } from '../contract/store.js';

/** Status of a request or quote; undefined for an unknown id. */
export type StatusReader = (id: RequestId) => Promise<StatusView | undefined>;

const MAX_IDS_PER_READ = 250;

/**
 * Batches statuses for polling clients: calls during a read share the next one. Invariant: a call is never answered
 * from a read that began before it, so clients never see a status older than one they were sent.
 */
export function createStatusReader(store: Pick<Store, 'statuses'>): StatusReader {
  let waiting = new Map<RequestId, Promise<StatusView | undefined>>();
  let reading: Promise<unknown> = Promise.resolve();
  let next: Promise<ReadonlyMap<string, StatusView>> | undefined;

  const begin = (): Promise<ReadonlyMap<string, StatusView>> => {
    const begun = reading.then(async () => {
      const ids = [...waiting.keys()];
      waiting = new Map();
      next = undefined;
      return new Map((await store.statuses(ids)).map((view) => [view.id, view]));
    });
    reading = begun.catch(() => undefined);
    return begun;
  };

  const ask: StatusReader = (id) => {
    const known = waiting.get(id);
    if (known) return known;
    if (waiting.size >= MAX_IDS_PER_READ) return reading.then(() => ask(id));
    next ??= begin();
    const found = next.then((views) => views.get(id));
    waiting.set(id, found);
    return found;
  };
  return ask;
}
