import type { RequestId } from '../../contract/ids.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { isHex } from '../../domain/hex.js';
import { ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { grantedChains, mayDo } from '../keys.js';
import { addressSpellings } from '../listing/spellings.js';
import type { FeedEvent } from './feed.js';
import { type Ask, doneFrame, eventFrame, type Filters, frameOfQuote } from './frames.js';
import { type Hub, requestsOf } from './hub.js';
import { type Snapshot, snapshotOf, type ToldOf } from './snapshot.js';
import { hears, isWide, type Sent, type Subscription } from './subscriptions.js';

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
  let unfunded = false;
  let told: ToldOf | null = null;
  let held: (() => void)[] | null = [];
  const inTurn = (tell: () => void) => {
    if (held) held.push(tell);
    else tell();
  };
  const take = (event: FeedEvent) =>
    inTurn(() => {
      if (event.sequence > seen) send(event.frame);
    });
  const takeSent = (event: FeedEvent, sent: Sent) =>
    inTurn(() => {
      if (!unfunded || !isNews(event, sent, told)) return;
      told = { id: sent.id, createdAt: sent.createdAt, sequence: event.sequence };
      send(frameOfQuote(event.frame, sent.parentRequestId ?? sent.id));
    });
  const subscription = subscriptionOf(deps, ask.filters, key, { take, takeSent });
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
      unfunded = standing.snapshot.unfunded !== null;
      told = standing.snapshot.unfunded?.told ?? null;
      send(eventFrame(standing.snapshot.payload, position, seen));
    }
    for (const event of standing.missed) send(event.frame);
    const waiting = held;
    held = null;
    for (const tell of waiting) tell();
    return subscription;
  } catch (error) {
    subscriptions.remove(subscription);
    throw error;
  }
}

/** Not told yet, and of the newest that was sent for a quote, which is what the status endpoint tells of. */
function isNews({ sequence }: FeedEvent, sent: Sent, told: ToldOf | null): boolean {
  if (told === null) return true;
  if (sent.id === told.id) return sequence > told.sequence;
  return sent.createdAt === told.createdAt ? sent.id > told.id : sent.createdAt > told.createdAt;
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
  takes: Pick<Subscription, 'take' | 'takeSent'>,
): Subscription {
  const uuids = new Set(grantedChains(key).map((uuid) => uuid.toLowerCase()));
  const granted = [...chains.values()].filter(({ facts }) => uuids.has(facts.private?.toLowerCase() ?? ''));
  return {
    name: nameOf(filters),
    id: filters.id === undefined ? null : (filters.id.toLowerCase() as RequestId),
    users: filters.user === undefined ? null : addressSpellings(filters.user, chains),
    keyId: filters.key === undefined || key === null ? null : key.id,
    granted: new Set(granted.map(({ facts }) => facts.id)),
    ...takes,
  };
}

/**
 * Race closed here: what its payer sends for a quote while its status is read would be told of by neither, because only then
 * it is known that there is something to listen to. So it is read again once it is listened to.
 */
async function standingNow(
  store: SubscribeDeps['store'],
  { subscriptions }: Hub,
  subscription: Subscription,
  id: RequestId,
): Promise<Snapshot | undefined> {
  const first = await snapshotOf(store, id);
  if (!first?.unfunded) return first;
  subscriptions.followPayer(subscription, first.unfunded.payer);
  const now = await snapshotOf(store, id);
  if (!now?.unfunded) subscriptions.unfollowPayer(subscription);
  return now;
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
    const snapshot = await standingNow(store, hub, subscription, id);
    if (!snapshot || !hears(subscription, id, snapshot.request, hub.isPrivate)) return apiError('REQUEST_NOT_FOUND');
    // What is not kept any more is made up for by how the request stands now; a quote that nothing funded has no events.
    if (kept === null || snapshot.unfunded) return { snapshot, missed: [] };
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
