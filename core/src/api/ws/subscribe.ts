import type { RequestId } from '../../contract/ids.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { isHex } from '../../domain/hex.js';
import { ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { grantedChains, mayDo } from '../keys.js';
import { addressSpellings } from '../listing/spellings.js';
import type { FeedEvent } from './feed.js';
import { type Ask, doneFrame, eventFrame, type Filters } from './frames.js';
import { type Hub, requestsOf } from './hub.js';
import { type Snapshot, snapshotOf } from './snapshot.js';
import { hears, isWide, type Subscription } from './subscriptions.js';

export interface SubscribeDeps extends Pick<ApiDeps, 'store' | 'chains' | 'options'> {
  readonly hub: Hub;
}

/** Same filters, same name, however they are spelled or ordered. */
export function nameOf({ id, user, key }: Filters): string {
  return JSON.stringify([id?.toLowerCase() ?? null, user ?? null, key ?? null]);
}

/**
 * Begins to listen, then sends in this order: that it is done, how things stand (the current status of a request that
 * was named, or what a client that resumes has missed), and what happens from now on. Nothing is lost or told backwards
 * between them: events that arrive while the status is read wait, and those that it already contains are dropped.
 */
export async function subscribe(
  deps: SubscribeDeps,
  ask: Ask,
  key: ApiKeyRow | null,
  send: (frame: string) => void,
): Promise<Subscription | ApiError> {
  const refused = refusal(deps, ask.filters, key);
  if (refused) return refused;
  const { feed, subscriptions } = deps.hub;
  await feed.start();
  const { after } = ask;
  if (after !== null && after > feed.position) {
    await feed.read();
    if (after > feed.position) return invalidRequest('after', 'is ahead of everything that has happened');
  }
  let seen = 0;
  let held: FeedEvent[] | null = [];
  const take = (event: FeedEvent) => {
    if (held) held.push(event);
    else if (event.sequence > seen) send(event.frame);
  };
  const subscription = subscriptionOf(deps, ask.filters, key, take);
  subscriptions.add(subscription);
  const { position } = feed;
  try {
    const kept = after === null ? null : feed.since(after);
    const standing = await standingOf(deps, subscription, kept, after !== null);
    if (standing instanceof ApiError) {
      subscriptions.remove(subscription);
      return standing;
    }
    send(doneFrame(ask, position));
    if (standing.snapshot) {
      seen = standing.snapshot.sequence;
      send(eventFrame(standing.snapshot.payload, position, seen));
    }
    for (const event of standing.missed) send(event.frame);
    const waiting = held;
    held = null;
    for (const event of waiting) take(event);
    return subscription;
  } catch (error) {
    subscriptions.remove(subscription);
    throw error;
  }
}

/** Anybody who knows an id may follow it, as when polling. Whole lists are for whom the listing is for. */
function refusal({ options }: SubscribeDeps, filters: Filters, key: ApiKeyRow | null): ApiError | undefined {
  if (filters.id !== undefined && !isHex(filters.id.toLowerCase(), 32)) return apiError('REQUEST_NOT_FOUND');
  if (filters.key === undefined && filters.user === undefined) return undefined;
  if (key) {
    return mayDo(key, 'requests')
      ? undefined
      : apiError('FORBIDDEN', 'The API key may not do this: it lacks the scope requests');
  }
  if (filters.key !== undefined || options.anonymousRead === 'off') {
    return apiError('UNAUTHORIZED', 'Open the socket with ?apiKey= for this filter');
  }
  return undefined;
}

function subscriptionOf(
  { chains }: SubscribeDeps,
  filters: Filters,
  key: ApiKeyRow | null,
  take: Subscription['take'],
): Subscription {
  const uuids = new Set(grantedChains(key).map((uuid) => uuid.toLowerCase()));
  const granted = [...chains.values()].filter(({ facts }) => uuids.has(facts.private?.toLowerCase() ?? ''));
  return {
    name: nameOf(filters),
    id: filters.id === undefined ? null : (filters.id.toLowerCase() as RequestId),
    users: filters.user === undefined ? null : addressSpellings(filters.user, chains),
    keyId: filters.key === undefined || key === null ? null : key.id,
    granted: new Set(granted.map(({ facts }) => facts.id)),
    take,
  };
}

interface Standing {
  readonly snapshot: Snapshot | null;
  readonly missed: readonly FeedEvent[];
}

/** @param kept what the feed still has of what was missed; null where it has not all of it, or nothing was asked. */
async function standingOf(
  { store, hub }: SubscribeDeps,
  subscription: Subscription,
  kept: readonly FeedEvent[] | null,
  resumes: boolean,
): Promise<Standing | ApiError> {
  const { id } = subscription;
  if (id !== null) {
    const snapshot = await snapshotOf(store, id);
    if (!snapshot || !hears(subscription, id, snapshot.request, hub.isPrivate)) return apiError('REQUEST_NOT_FOUND');
    // What is not kept any more is made up for by how the request stands now.
    if (kept === null) return { snapshot, missed: [] };
    return { snapshot: null, missed: kept.filter(({ requestId }) => requestId === id) };
  }
  if (kept === null) {
    return resumes
      ? invalidRequest('after', 'is too long ago: list the requests, then subscribe without it')
      : { snapshot: null, missed: [] };
  }
  const requests = isWide(subscription) && kept.length > 0 ? await requestsOf(store, kept) : new Map();
  const missed = kept.filter(({ requestId }) => hears(subscription, requestId, requests.get(requestId), hub.isPrivate));
  return { snapshot: null, missed };
}
