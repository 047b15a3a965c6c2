import type { ChainId, RequestId } from '../../contract/ids.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { isHex } from '../../domain/hex.js';
import { ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import {
  eventFrame,
  type FeedEvent,
  feedEvent,
  frameOfQuote,
  waitingFrame,
  withoutReferrer,
} from '../../events/feed/feed-event.js';
import type { ApiDeps } from '../api.js';
import { grantedChains, refuseScope } from '../keys.js';
import { addressSpellings } from '../listing/spellings.js';
import type { Owner } from '../owners.js';
import type { Channel } from './channel.js';
import type { Hub } from './hub.js';
import { catchUp } from './resume.js';
import { type ReportedOf, type Snapshot, snapshotOf } from './snapshot.js';
import { type Heard, hears, isWide, type Sent, type Subscription } from './subscriptions.js';

export interface SubscribeDeps extends Pick<ApiDeps, 'store' | 'chains' | 'options'> {
  readonly hub: Hub;
}

/** A request has to match every filter. */
export interface Filters {
  readonly id?: string;
  readonly user?: string;
  /** `own`: requests of the client's API key and of those it was rotated from or to. */
  readonly key?: 'own';
}

export interface Wanted {
  readonly filters: Filters;
  /** Feed position of the last frame that the client has seen; null for from now on. */
  readonly after: number | null;
}

/** Reasons that a follower of a quote is sent of other accounts' transfers; the status endpoint has the newest. */
const MAX_REASONS_OF_OTHERS = 4;

/** Maximum events held per client while it catches up; more closes it. */
const MAX_HELD_EVENTS = 2_000;

export function nameOf({ id, user, key }: Filters): string {
  return JSON.stringify([id?.toLowerCase() ?? null, user ?? null, key ?? null]);
}

/**
 * Sends in this order: the confirmation; the status of a named request, or the events that a resuming client missed;
 * new events. Nothing is lost or reordered: events that arrive meanwhile are held, and dropped if the status already
 * contains them.
 *
 * @returns undefined if the client left meanwhile.
 */
export async function subscribe(
  deps: SubscribeDeps,
  { filters, after }: Wanted,
  key: ApiKeyRow | null,
  channel: Channel,
): Promise<Subscription | ApiError | undefined> {
  const refused = refusal(deps, filters, key);
  if (refused) return refused;
  const { hub } = deps;
  const { feed, subscriptions } = hub;
  const owner = await hub.ownerOf(key?.id ?? null);
  await feed.start();
  if (after !== null && after > feed.position) {
    await feed.read();
    if (after > feed.position) return invalidRequest('after', 'is ahead of everything that has happened');
  }
  let seen = 0;
  let unfunded = false;
  let reported: ReportedOf | null = null;
  const explained = new Set<string>();
  let named: Heard | undefined;
  let held: (() => void)[] | null = [];
  const inTurn = (report: () => void) => {
    if (held === null) report();
    else if (held.length < MAX_HELD_EVENTS) held.push(report);
    else channel.overrun();
  };
  const report = ({ frame, ownFrame, position }: FeedEvent, request: Heard | undefined) =>
    channel.reported(isOwn(key, request ?? named) ? ownFrame : frame, position);
  const take = (event: FeedEvent, request: Heard | undefined) =>
    inTurn(() => {
      if (event.sequence > seen) report(event, request);
    });
  const takeSent = (event: FeedEvent, sent: Sent) =>
    inTurn(() => {
      if (!unfunded || !isNews(event, sent, reported)) return;
      reported = { id: sent.id, createdAt: sent.createdAt, sequence: event.sequence };
      const frame = isOwn(key, sent) ? event.ownFrame : event.frame;
      channel.reported(frameOfQuote(frame, sent.parentRequestId ?? sent.id), event.position);
    });
  const takeOther = (event: FeedEvent, sent: Sent) =>
    inTurn(() => {
      if (!unfunded || reported !== null) return;
      // guard: strangers-are-heard-rarely
      if (explained.size >= MAX_REASONS_OF_OTHERS) return;
      const made = waitingFrame(isOwn(key, sent) ? event.ownFrame : event.frame, sent.parentRequestId ?? sent.id);
      if (made === undefined || explained.has(made.why)) return;
      explained.add(made.why);
      channel.reported(made.frame, event.position);
    });
  const subscription = subscriptionOf(deps, filters, key, owner, { take, takeSent, takeOther });
  const { id } = subscription;
  try {
    if (id !== null) {
      subscriptions.add(subscription);
      const { position } = feed;
      const standing = await standingOf(deps, subscription, id, after);
      if (standing instanceof ApiError) {
        subscriptions.remove(subscription);
        return standing;
      }
      named = standing.named;
      const { snapshot, gap } = standing;
      channel.begun(snapshot || after === null ? position : after);
      if (gap) channel.missed(gap.from, gap.to);
      if (snapshot) {
        const { payload } = snapshot;
        seen = snapshot.sequence;
        unfunded = snapshot.unfunded !== null;
        reported = snapshot.unfunded?.reported ?? null;
        if (snapshot.unfunded?.details) explained.add(snapshot.unfunded.details);
        channel.reported(eventFrame(isOwn(key, named) ? payload : withoutReferrer(payload), position, seen), position);
      }
      for (const event of standing.missed) {
        seen = event.sequence;
        report(event, undefined);
      }
    } else if (after === null) {
      subscriptions.add(subscription);
      channel.begun(feed.position);
    } else {
      channel.begun(after);
      let kept = feed.since(after);
      for (let at: number | undefined = after; kept === null; kept = feed.since(at)) {
        at = await catchUp(hub, subscription, channel, report, at);
        if (at === undefined) return undefined;
      }
      // No await since the feed was read, so that no event is missed or sent twice.
      subscriptions.add(subscription);
      const requestOf = isWide(subscription) && kept.length > 0 ? await hub.requestsOf(kept) : () => undefined;
      for (const event of kept) {
        const request = requestOf(event);
        if (!hears(subscription, event.requestId, request, hub.isPrivate)) continue;
        await channel.ready();
        if (!channel.isOpen) break;
        report(event, request);
      }
    }
    const waiting = held;
    held = null;
    for (const reportNow of waiting) reportNow();
    return subscription;
  } catch (error) {
    subscriptions.remove(subscription);
    throw error;
  }
}

function isOwn(key: ApiKeyRow | null, request: Heard | undefined): boolean {
  return key !== null && request?.owner?.integratorId === key.integratorId;
}

/** Whether the event is not sent yet and belongs to the quote's newest transfer, which the status endpoint reports, too. */
function isNews({ sequence }: FeedEvent, sent: Sent, reported: ReportedOf | null): boolean {
  if (reported === null) return true;
  if (sent.id === reported.id) return sequence > reported.sequence;
  return sent.createdAt === reported.createdAt ? sent.id > reported.id : sent.createdAt > reported.createdAt;
}

/** The id of a request suffices to follow it; lists need the same rights as `GET /requests/v2`. */
function refusal({ options }: SubscribeDeps, filters: Filters, key: ApiKeyRow | null): ApiError | undefined {
  if (filters.id !== undefined && !isHex(filters.id.toLowerCase(), 32)) return apiError('REQUEST_NOT_FOUND');
  if (filters.key === undefined && filters.user === undefined) return undefined;
  if (key) return refuseScope(key, 'requests');
  if (filters.key !== undefined || options.anonymousRead === 'off') {
    return apiError('UNAUTHORIZED', 'Open the socket with ?apiKey= for this filter');
  }
  return undefined;
}

function subscriptionOf(
  { chains }: SubscribeDeps,
  filters: Filters,
  key: ApiKeyRow | null,
  owner: Owner | null,
  takes: Pick<Subscription, 'take' | 'takeSent' | 'takeOther'>,
): Subscription {
  const uuids = new Set(grantedChains(key).map((uuid) => uuid.toLowerCase()));
  const granted = [...chains.values()].filter(({ facts }) => uuids.has(facts.private?.toLowerCase() ?? ''));
  return {
    name: nameOf(filters),
    id: filters.id === undefined ? null : (filters.id.toLowerCase() as RequestId),
    users: filters.user === undefined ? null : addressSpellings(filters.user, chains),
    line: filters.key === undefined ? null : (owner?.line ?? ''),
    granted: new Set<ChainId>(granted.map(({ facts }) => facts.id)),
    ...takes,
  };
}

/**
 * Race closed here: a payer's transfer during the read of its quote's status would be in neither status nor events,
 * because listening starts only after that read. So the status is read again.
 */
async function standingNow(
  { store, hub: { subscriptions } }: SubscribeDeps,
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
  readonly named: Heard;
  readonly snapshot: Snapshot | null;
  readonly missed: readonly FeedEvent[];
  /** Events after `from`, up to `to`, are lost. The snapshot replaces them. */
  readonly gap?: { readonly from: number; readonly to: number };
}

/** Requires that the subscription already listens. */
async function standingOf(
  deps: SubscribeDeps,
  subscription: Subscription,
  id: RequestId,
  after: number | null,
): Promise<Standing | ApiError> {
  const { store, hub } = deps;
  const snapshot = await standingNow(deps, subscription, id);
  if (!snapshot) return apiError('REQUEST_NOT_FOUND');
  const { user, keyId, originChainId, destinationChainId } = snapshot.request;
  // Without the body, because this object lives as long as the subscription.
  const named: Heard = { user, keyId, originChainId, destinationChainId, owner: await hub.ownerOf(keyId) };
  if (!hears(subscription, id, named, hub.isPrivate)) return apiError('REQUEST_NOT_FOUND');
  // An unfunded quote has no events.
  if (after === null || snapshot.unfunded) return { snapshot, named, missed: [] };
  const kept = hub.feed.since(after);
  if (kept !== null) return { snapshot: null, named, missed: kept.filter(({ requestId }) => requestId === id) };
  const oldest = (await store.events(0, 1))[0]?.position ?? hub.feed.position + 1;
  if (oldest > after + 1) return { snapshot, named, missed: [], gap: { from: after, to: oldest - 1 } };
  return { snapshot: null, named, missed: (await store.eventsOf(id, after)).map(feedEvent) };
}
