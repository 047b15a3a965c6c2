import type { RequestId } from '../contract/ids.js';
import type { StatusView, Store } from '../contract/store.js';

/** How a request, or a quote, stands now; undefined for an id of neither. */
export type StatusReader = (id: RequestId) => Promise<StatusView | undefined>;

/** Ids of one read. */
const MOST = 250;

/**
 * Reads statuses for many polling clients with one statement at a time: calls that come while a read is under way share the
 * next one. Nobody is answered from a read that began before he asked, so that a client sees everything that it was told of.
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
    if (waiting.size >= MOST) return reading.then(() => ask(id));
    next ??= begin();
    const found = next.then((views) => views.get(id));
    waiting.set(id, found);
    return found;
  };
  return ask;
}
