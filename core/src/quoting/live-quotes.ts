import type { RequestId, UnixMs } from '../contract/ids.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import { type QuoteCaller, sharesOf } from './ask.js';
import type { QuotingDeps } from './quoting-deps.js';
import type { Route } from './route.js';

type Live = Map<RequestId, UnixMs>;

export interface Payer extends Pick<QuoteCaller, 'party' | 'crowds'> {
  readonly user: string;
}

/**
 * Each quote is an option at a fixed price, and a payer with many would use the best one. Counted per process.
 *
 * Invariant: a caller cannot use up the quotes of another caller, although it may name the other's address.
 */
export class LiveQuotes {
  readonly #deps: Pick<QuotingDeps, 'store' | 'clock' | 'policy'>;
  readonly #live = new Map<string, Live>();

  constructor(deps: Pick<QuotingDeps, 'store' | 'clock' | 'policy'>) {
    this.#deps = deps;
  }

  /** Refuses if the payer has too many valid unpaid quotes. */
  async refuse(payer: Payer, route: Route): Promise<ApiError | undefined> {
    const { mostUnpaidQuotes: most } = this.#deps.policy;
    if (most === null) return undefined;
    for (const { party, times } of sharesOf(payer)) {
      const refused = await this.#refuseShare(payer.user, keyOf(party, payer.user, route), most * times);
      // guard: unpaid-quotes
      if (refused) return refused;
    }
    return undefined;
  }

  async #refuseShare(user: string, key: string, most: number): Promise<ApiError | undefined> {
    const { clock, store } = this.#deps;
    const live = this.#live.get(key);
    if (live === undefined || live.size < most) return undefined;
    dropExpired(live, clock.now());
    if (live.size < most) return undefined;
    for (const { id } of await store.requests([...live.keys()])) live.delete(id);
    if (live.size < most) return undefined;
    const seconds = Math.max(1, Math.ceil((Math.min(...live.values()) - clock.now()) / 1_000));
    const message = `${user} has ${live.size} unpaid quotes for this pair: pay one, or try again in ${seconds} s`;
    return apiError('RATE_LIMITED', message, { field: 'user', reason: 'too many unpaid quotes' });
  }

  add(payer: Payer, route: Route, id: RequestId, expiresAt: UnixMs): void {
    if (route.sameGroup || this.#deps.policy.mostUnpaidQuotes === null) return;
    for (const { party } of sharesOf(payer)) {
      const key = keyOf(party, payer.user, route);
      const live = this.#live.get(key) ?? new Map();
      live.set(id, expiresAt);
      // Oldest keys come first, so that unused ones are dropped as fast as others are added.
      this.#live.delete(key);
      this.#live.set(key, live);
      this.#sweep();
    }
  }

  #sweep(): void {
    const now = this.#deps.clock.now();
    for (const [key, live] of take(this.#live, SWEPT)) {
      dropOldest(live, now);
      this.#live.delete(key);
      if (live.size > 0) this.#live.set(key, live);
    }
  }
}

/** Keys checked per key added: more than one, so that expired keys decrease. */
const SWEPT = 2;

function keyOf(party: string, user: string, { origin, destination }: Route): string {
  const end = ({ chain, currency }: Route['origin']) => `${chain.facts.id}:${currency.address}`;
  return `${party}>${user}>${end(origin)}>${end(destination)}`;
}

/**
 * Like `dropExpired`, but stops at the first valid one, because later quotes rarely expire sooner. Constant for long
 * lists.
 */
function dropOldest(live: Live, now: UnixMs): void {
  for (const [id, expiresAt] of live) {
    if (expiresAt > now) return;
    live.delete(id);
  }
}

function dropExpired(live: Live, now: UnixMs): void {
  for (const [id, expiresAt] of live) if (expiresAt <= now) live.delete(id);
}

function take<K, V>(entries: ReadonlyMap<K, V>, count: number): [K, V][] {
  const taken: [K, V][] = [];
  for (const entry of entries) {
    if (taken.length >= count) break;
    taken.push(entry);
  }
  return taken;
}
