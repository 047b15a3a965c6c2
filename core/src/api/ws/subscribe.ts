import type { RequestId } from '../../contract/ids.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { isHex } from '../../domain/hex.js';
import { ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { grantedChains, mayDo } from '../keys.js';
import { addressSpellings } from '../listing/spellings.js';
import type { FeedEvent } from './feed.js';
import { type Ask, doneFrame, eventFrame, type Filters, frameOfQuote, withoutReferrer } from './frames.js';
import { type Hub, requestsOf } from './hub.js';
import { type Snapshot, snapshotOf, type ToldOf } from './snapshot.js';
import { type Heard, hears, isWide, type Sent, type Subscription } from './subscriptions.js';

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
  const own = await ownKeys(deps.store, key);
  await feed.start();
  const { after } = ask;
  if (after !== null && after > feed.position) {
    await feed.read();
    if (after > feed.position) return invalidRequest('after', 'is ahead of everything that has happened');
  }
  let seen = 0;
  let unfunded = false;
  let told: ToldOf | null = null;
  /** The request that was named, known before anything of it is sent. */
  let named: Heard | undefined;
  let held: (() => void)[] | null = [];
  const inTurn = (tell: () => void) => {
    if (held) held.push(tell);
    else tell();
  };
  const frameFor = ({ frame, ownFrame }: FeedEvent, request: Heard | undefined) =>
    isOwn(own, request ?? named) ? ownFrame : frame;
  const take = (event: FeedEvent, request: Heard | undefined) =>
    inTurn(() => {
      if (event.sequence > seen) send(frameFor(event, request));
    });
  const takeSent = (event: FeedEvent, sent: Sent) =>
    inTurn(() => {
      if (!unfunded || !isNews(event, sent, told)) return;
      told = { id: sent.id, createdAt: sent.createdAt, sequence: event.sequence };
      send(frameOfQuote(frameFor(event, sent), sent.parentRequestId ?? sent.id));
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
    named = standing.named;
    send(doneFrame(ask, position));
    if (standing.snapshot) {
      const { payload, request } = standing.snapshot;
      seen = standing.snapshot.sequence;
      unfunded = standing.snapshot.unfunded !== null;
      told = standing.snapshot.unfunded?.told ?? null;
      send(eventFrame(isOwn(own, request) ? payload : withoutReferrer(payload), position, seen));
    }
    for (const [event, request] of standing.missed) send(frameFor(event, request));
    const waiting = held;
    held = null;
    for (const tell of waiting) tell();
    return subscription;
  } catch (error) {
    subscriptions.remove(subscription);
    throw error;
  }
}

/** Ids of all keys of the integrator that this key belongs to: requests quoted with any of them are the integrator's. */
async function ownKeys(store: SubscribeDeps['store'], key: ApiKeyRow | null): Promise<ReadonlySet<string>> {
  return key === null ? new Set() : new Set((await store.apiKeysOf(key.integratorId)).map(({ id }) => id));
}

function isOwn(own: ReadonlySet<string>, request: Heard | undefined): boolean {
  return request !== undefined && request.keyId !== null && own.has(request.keyId);
}

/** Not told yet, and of the newest that was sent for a quote, which is what the status endpoint tells of. */
function isNews({ sequence }: FeedEvent, sent: Sent, told: ToldOf | null): boolean {
  if (told === null) return true;
  if (sent.id === told.id) return sequence > told.sequence;
  return sent.createdAt === told.createdAt ? sent.id > told.id : sent.createdAt > told.createdAt;
}

/** Anybody who knows the id of a request may follow it, as with polling. Lists need the same rights as `GET /requests/v2`. */
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
  /** Where one was named. */
  readonly named?: Heard;
  readonly missed: readonly (readonly [FeedEvent, Heard | undefined])[];
}

/** @param kept missed events that the feed still has; null where the feed lost some of them, or the client asked for none. */
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
    const named = snapshot.request;
    if (kept === null || snapshot.unfunded) return { snapshot, named, missed: [] };
    const missed = kept.filter(({ requestId }) => requestId === id).map((event) => [event, named] as const);
    return { snapshot: null, named, missed };
  }
  if (kept === null) {
    return resumes
      ? invalidRequest('after', 'is too long ago: list the requests, then subscribe without it')
      : { snapshot: null, missed: [] };
  }
  const requests = isWide(subscription) && kept.length > 0 ? await requestsOf(store, kept) : new Map<string, Heard>();
  const missed = kept
    .map((event) => [event, requests.get(event.requestId)] as const)
    .filter(([{ requestId }, request]) => hears(subscription, requestId, request, hub.isPrivate));
  return { snapshot: null, missed };
}
