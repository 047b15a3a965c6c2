import type { ChainId, RequestId } from '../../contract/ids.js';
import type { RequestRow } from '../../contract/store-rows.js';
import type { FeedEvent } from '../../events/feed/feed-event.js';
import type { Owner } from '../owners.js';

/** The immutable fields of a request that decide who may see it. */
export interface Heard extends Pick<RequestRow, 'user' | 'keyId' | 'originChainId' | 'destinationChainId'> {
  readonly owner: Owner | null;
}

export interface Sent extends Heard, Pick<RequestRow, 'id' | 'parentRequestId' | 'sender' | 'createdAt'> {}

export interface Subscription {
  /** Equal for equal filters: subscribing twice has no further effect. */
  readonly name: string;
  readonly id: RequestId | null;
  /** Canonical spellings of the address on the chains served; null for any user. */
  readonly users: readonly string[] | null;
  /** Keys whose requests are sent (`Owner.line`); null for any. */
  readonly line: string | null;
  /** Private chains whose requests are sent. */
  readonly granted: ReadonlySet<ChainId>;
  readonly take: (event: FeedEvent, request: Heard | undefined) => void;
  /** Takes events of the payer's transfers for the quote `id` while it is unfunded. */
  readonly takeSent: (event: FeedEvent, sent: Sent) => void;
  /** Takes events of other accounts' transfers for it, of which followers learn no more than the status endpoint says. */
  readonly takeOther: (event: FeedEvent, sent: Sent) => void;
}

/** Subscriptions, indexed by topic. */
export class Subscriptions {
  readonly #all = new Set<Subscription>();
  readonly #topics = new Map<string, Set<Subscription>>();
  readonly #unfunded = new Map<RequestId, Map<Subscription, string>>();
  #wide = 0;

  get needRequests(): boolean {
    return this.#wide > 0 || this.#unfunded.size > 0;
  }

  /** Until the quote has a request, sends events of the payer's transfers. */
  followPayer(subscription: Subscription, payer: string): void {
    const { id } = subscription;
    if (id === null) return;
    const followers = this.#unfunded.get(id) ?? new Map<Subscription, string>();
    this.#unfunded.set(id, followers.set(subscription, payer));
  }

  unfollowPayer(subscription: Subscription): void {
    const { id } = subscription;
    const followers = id === null ? undefined : this.#unfunded.get(id);
    followers?.delete(subscription);
    if (id !== null && followers?.size === 0) this.#unfunded.delete(id);
  }

  add(subscription: Subscription): void {
    if (this.#all.has(subscription)) return;
    this.#all.add(subscription);
    if (isWide(subscription)) this.#wide += 1;
    for (const topic of topicsOf(subscription)) {
      const set = this.#topics.get(topic);
      if (set) set.add(subscription);
      else this.#topics.set(topic, new Set([subscription]));
    }
  }

  /** No effect on one that was not added. */
  remove(subscription: Subscription): void {
    if (!this.#all.delete(subscription)) return;
    this.unfollowPayer(subscription);
    if (isWide(subscription)) this.#wide -= 1;
    for (const topic of topicsOf(subscription)) {
      const set = this.#topics.get(topic);
      set?.delete(subscription);
      if (set?.size === 0) this.#topics.delete(topic);
    }
  }

  /** @param request undefined if no listener needs it. */
  report(event: FeedEvent, request: Sent | undefined, isPrivate: (id: ChainId) => boolean): void {
    for (const topic of topicsOfEvent(event, request)) {
      for (const subscription of this.#topics.get(topic) ?? []) {
        if (hears(subscription, event.requestId, request, isPrivate)) subscription.take(event, request);
      }
    }
    this.#unfunded.delete(event.requestId);
    if (request) this.#reportPayer(event, request, isPrivate);
  }

  /** Only transfers of the quote's payer give it a status: anyone can name a quote. */
  #reportPayer(event: FeedEvent, sent: Sent, isPrivate: (id: ChainId) => boolean): void {
    const quote = sent.parentRequestId;
    if (quote === null) return;
    for (const [subscription, payer] of this.#unfunded.get(quote) ?? []) {
      if (!hears(subscription, quote, sent, isPrivate)) continue;
      // guard: followers-hear-the-payer
      if (sent.sender === payer) subscription.takeSent(event, sent);
      else subscription.takeOther(event, sent);
    }
  }
}

/** Whether the request matches the subscription and its client may see it. */
export function hears(
  { id, users, line, granted }: Subscription,
  requestId: RequestId,
  request: Heard | undefined,
  isPrivate: (id: ChainId) => boolean,
): boolean {
  if (id !== null && id !== requestId) return false;
  if (users === null && line === null) return true;
  if (!request) return false;
  if (users !== null && !users.includes(request.user)) return false;
  if (line !== null && line !== request.owner?.line) return false;
  return [request.originChainId, request.destinationChainId].every((chain) => !isPrivate(chain) || granted.has(chain));
}

export function isWide({ users, line }: Subscription): boolean {
  return users !== null || line !== null;
}

/** Topics of the narrowest filter only, so that an event finds a subscription once. */
export function topicsOf({ id, users, line }: Subscription): readonly string[] {
  if (id !== null) return [`id:${id}`];
  if (users !== null) return users.map((user) => `user:${user}`);
  return [`key:${line}`];
}

export function topicsOfEvent({ requestId }: FeedEvent, request: Heard | undefined): readonly string[] {
  const topics = [`id:${requestId}`];
  if (request) topics.push(`user:${request.user}`);
  if (request?.owner) topics.push(`key:${request.owner.line}`);
  return topics;
}
