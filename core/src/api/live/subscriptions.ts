import type { ChainId, RequestId } from '../../contract/ids.js';
import type { RequestRow } from '../../contract/store-rows.js';
import type { FeedEvent } from '../../events/feed/feed-event.js';
import type { Owner } from './owners.js';

/** What of a request decides who may hear of it; it never changes. */
export interface Heard extends Pick<RequestRow, 'user' | 'keyId' | 'originChainId' | 'destinationChainId'> {
  /** Null without a key. */
  readonly owner: Owner | null;
}

/** The same of the request of an event, and what it was sent for. */
export interface Sent extends Heard, Pick<RequestRow, 'id' | 'parentRequestId' | 'sender' | 'createdAt'> {}

/** One filter of one client. */
export interface Subscription {
  /** Same filters, same name: subscribing twice is subscribing once. */
  readonly name: string;
  readonly id: RequestId | null;
  /** Canonical spellings of the address on the chains served; null for any user. */
  readonly users: readonly string[] | null;
  /** Keys whose requests are told (`Owner.line`); null for any. */
  readonly line: string | null;
  /** Private chains whose requests are told. */
  readonly granted: ReadonlySet<ChainId>;
  /** @param request undefined where it was not looked up: the subscription names a single request by its id. */
  readonly take: (event: FeedEvent, request: Heard | undefined) => void;
  /** Takes events of what its payer sent for the quote `id`, while nothing funded that. */
  readonly takeSent: (event: FeedEvent, sent: Sent) => void;
}

/** Who listens to what, found by the one thing that an event has in common with its listeners. */
export class Subscriptions {
  readonly #all = new Set<Subscription>();
  readonly #topics = new Map<string, Set<Subscription>>();
  /** Who follows a quote that nothing funded, with its payer. */
  readonly #unfunded = new Map<RequestId, Map<Subscription, string>>();
  #wide = 0;

  /** Some listener can only be told by looking the request up. */
  get needRequests(): boolean {
    return this.#wide > 0 || this.#unfunded.size > 0;
  }

  /** The quote that it follows has no request: from here on it is told of what its payer sends, until the quote has one. */
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

  /** Does nothing to one that was not added. */
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

  /** @param request undefined where no listener needs it. */
  tell(event: FeedEvent, request: Sent | undefined, isPrivate: (id: ChainId) => boolean): void {
    for (const topic of topicsOfEvent(event, request)) {
      for (const subscription of this.#topics.get(topic) ?? []) {
        if (hears(subscription, event.requestId, request, isPrivate)) subscription.take(event, request);
      }
    }
    this.#unfunded.delete(event.requestId);
    if (request) this.#tellPayer(event, request, isPrivate);
  }

  /** Of a transfer that cannot fund its quote: those who follow the quote, if its own payer sent it. */
  #tellPayer(event: FeedEvent, sent: Sent, isPrivate: (id: ChainId) => boolean): void {
    const quote = sent.parentRequestId;
    if (quote === null) return;
    for (const [subscription, payer] of this.#unfunded.get(quote) ?? []) {
      if (sent.sender === payer && hears(subscription, quote, sent, isPrivate)) subscription.takeSent(event, sent);
    }
  }
}

/** Whether the subscription asks for the request, and its client may hear of it. */
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

/** Of the narrowest filter alone, so that an event finds a subscription once. */
export function topicsOf({ id, users, line }: Subscription): readonly string[] {
  if (id !== null) return [`id:${id}`];
  if (users !== null) return users.map((user) => `user:${user}`);
  return [`key:${line}`];
}

/** Those of everybody who may listen to it. @param request undefined where it was not looked up. */
export function topicsOfEvent({ requestId }: FeedEvent, request: Heard | undefined): readonly string[] {
  const topics = [`id:${requestId}`];
  if (request) topics.push(`user:${request.user}`);
  if (request?.owner) topics.push(`key:${request.owner.line}`);
  return topics;
}
