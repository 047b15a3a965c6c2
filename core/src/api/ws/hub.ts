import type { ChainId } from '../../contract/ids.js';
import type { RequestRow } from '../../contract/store-rows.js';
import type { ApiDeps } from '../api.js';
import { Feed, type FeedEvent } from './feed.js';
import { Subscriptions } from './subscriptions.js';

export interface Hub {
  readonly feed: Feed;
  readonly subscriptions: Subscriptions;
  readonly isPrivate: (id: ChainId) => boolean;
}

/** The one reader of the feed and everybody who listens to it. */
export function createHub(deps: Pick<ApiDeps, 'store' | 'chains' | 'clock' | 'log'>, onTrouble: () => void): Hub {
  const { store, chains } = deps;
  const subscriptions = new Subscriptions();
  const isPrivate = (id: ChainId) => chains.get(id)?.facts.private !== undefined;
  const prepare = async (events: readonly FeedEvent[]) => {
    const requests = subscriptions.needRequests ? await requestsOf(store, events) : null;
    return () => {
      if (requests === null && subscriptions.needRequests) return false;
      for (const event of events) subscriptions.tell(event, requests?.get(event.requestId), isPrivate);
      return true;
    };
  };
  return { feed: new Feed({ ...deps, prepare, onTrouble }), subscriptions, isPrivate };
}

/** The requests of these events, in one read. */
export async function requestsOf(
  store: Pick<ApiDeps['store'], 'requests'>,
  events: readonly FeedEvent[],
): Promise<ReadonlyMap<string, RequestRow>> {
  const rows = await store.requests([...new Set(events.map(({ requestId }) => requestId))]);
  return new Map(rows.map((row) => [row.id, row]));
}
