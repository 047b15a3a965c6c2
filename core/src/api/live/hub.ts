import type { ChainId } from '../../contract/ids.js';
import type { RequestRow } from '../../contract/store-rows.js';
import { Backlog } from '../../events/feed/backlog.js';
import { Feed } from '../../events/feed/feed.js';
import type { FeedEvent } from '../../events/feed/feed-event.js';
import type { ApiDeps } from '../api.js';
import { createOwnersOf, type Owner } from '../owners.js';
import { type Sent, Subscriptions, topicsOfEvent } from './subscriptions.js';

export interface Sorted {
  readonly byTopic: ReadonlyMap<string, readonly FeedEvent[]>;
  readonly requests: ReadonlyMap<string, Sent>;
}

export interface Hub {
  readonly feed: Feed;
  readonly backlog: Backlog<Sorted>;
  readonly subscriptions: Subscriptions;
  readonly isPrivate: (id: ChainId) => boolean;
  /** How many positions back a client may resume. */
  readonly window: number;
  /** Owner of a key's requests; null without a key. */
  ownerOf(keyId: string | null): Promise<Owner | null>;
  /** Requests of events that the feed keeps. Each is looked up once, however many callers ask. */
  requestsOf(events: readonly FeedEvent[]): Promise<(event: FeedEvent) => Sent | undefined>;
  /** Called when the feed is unreadable for too long for listeners to rely on it, repeatedly while that lasts. */
  onUnreadable(listener: () => void): void;
  /** Call after all clients are closed. Resolves when no read is in progress. */
  close(): Promise<void>;
}

/** The one reader of the feed, and its listeners over every channel. */
export function createHub(
  { store, chains, clock, log }: Pick<ApiDeps, 'store' | 'chains' | 'clock' | 'log'>,
  window: number,
): Hub {
  const subscriptions = new Subscriptions();
  const ownersOf = createOwnersOf(store);
  const unreadableListeners: (() => void)[] = [];
  const isPrivate = (id: ChainId) => chains.get(id)?.facts.private !== undefined;
  /** Safe to cache: the fields that decide who may see an event never change. */
  const known = new WeakMap<FeedEvent, Sent>();
  let looking: Promise<unknown> = Promise.resolve();

  const find = async (events: readonly FeedEvent[]): Promise<ReadonlyMap<string, Sent>> => {
    const rows = await store.requests([...new Set(events.map(({ requestId }) => requestId))]);
    const owners = await ownersOf(rows.map(({ keyId }) => keyId));
    return new Map(rows.map((row) => [row.id, sentOf(row, owners.get(row.keyId ?? '') ?? null)]));
  };
  const look = async (events: readonly FeedEvent[]): Promise<void> => {
    const unknown = events.filter((event) => !known.has(event));
    if (unknown.length === 0) return;
    const requests = await find(unknown);
    for (const event of unknown) {
      const request = requests.get(event.requestId);
      if (request) known.set(event, request);
    }
  };
  const prepare = async (events: readonly FeedEvent[]) => {
    const isLooked = subscriptions.needRequests;
    if (isLooked) await look(events);
    return () => {
      if (!isLooked && subscriptions.needRequests) return false;
      for (const event of events) subscriptions.report(event, isLooked ? known.get(event) : undefined, isPrivate);
      return true;
    };
  };
  const feed = new Feed({
    ...{ store, clock, log, prepare },
    onUnreadable: () => {
      for (const listener of unreadableListeners) listener();
    },
  });
  const backlog = new Backlog<Sorted>({
    ...{ store, clock },
    end: () => feed.keptFrom,
    find: async (events) => {
      const requests = await find(events);
      return { requests, byTopic: sorted(events, requests) };
    },
  });
  return {
    ...{ feed, backlog, subscriptions, isPrivate, window },
    ownerOf: async (keyId) => (await ownersOf([keyId])).get(keyId ?? '') ?? null,
    requestsOf: async (events) => {
      // Serialised, so that the first of many concurrent callers does the lookup for all.
      const looked = looking.then(() => look(events));
      looking = looked.catch(() => undefined);
      await looked;
      return (event) => known.get(event);
    },
    onUnreadable: (listener) => void unreadableListeners.push(listener),
    close: async () => {
      await Promise.all([feed.close(), backlog.close()]);
    },
  };
}

/** Without its body, because it is cached. */
function sentOf(row: RequestRow, owner: Owner | null): Sent {
  const { id, user, keyId, originChainId, destinationChainId, parentRequestId, sender, createdAt } = row;
  return { id, user, keyId, owner, originChainId, destinationChainId, parentRequestId, sender, createdAt };
}

function sorted(events: readonly FeedEvent[], requests: ReadonlyMap<string, Sent>): Sorted['byTopic'] {
  const byTopic = new Map<string, FeedEvent[]>();
  for (const event of events) {
    for (const topic of topicsOfEvent(event, requests.get(event.requestId))) {
      const some = byTopic.get(topic);
      if (some) some.push(event);
      else byTopic.set(topic, [event]);
    }
  }
  return byTopic;
}
