import type { RequestId, UnixMs } from '../contract/ids.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import type { QuoteCaller } from './ask.js';
import type { QuotingDeps } from './quoting-deps.js';
import type { Route } from './route.js';

type Live = Map<RequestId, UnixMs>;

/** Who is charged for an unpaid quote: the payer's address together with the caller, since any caller may name any address. */
export interface Payer extends Pick<QuoteCaller, 'party' | 'crowds'> {
  readonly user: string;
}

/**
 * Valid quotes of each payer for each pair of two assets, as far as this process made them. Each quote promises a price, and a
 * payer who holds many would pay the one with the best price.
 *
 * Invariant: a caller cannot use up the quotes of another caller, although it may name the other's address.
 */
export class LiveQuotes {
  readonly #deps: Pick<QuotingDeps, 'store' | 'clock' | 'policy'>;
  readonly #live = new Map<string, Live>();

  constructor(deps: Pick<QuotingDeps, 'store' | 'clock' | 'policy'>) {
    this.#deps = deps;
  }

  /** Refuses one more while a payer has too many that are valid and unpaid. */
  async refuse(payer: Payer, route: Route): Promise<ApiError | undefined> {
    const { mostUnpaidQuotes: most } = this.#deps.policy;
    if (most === null) return undefined;
    for (const { party, times } of sharesOf(payer)) {
      const refused = await this.#refuseShare(payer.user, keyOf(party, payer.user, route), most * times);
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
      // The oldest keys come first, so that what nobody asks about any more goes as fast as others come.
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

/** Old keys checked for each key that is added: more than one, so that expired keys become fewer. */
const SWEPT = 2;

/** The payer's own, and those of the networks around it, whose quotes would else be counted nowhere. */
function sharesOf({ party, crowds = [] }: Payer): readonly { readonly party: string; readonly times: number }[] {
  return [{ party, times: 1 }, ...crowds];
}

function keyOf(party: string, user: string, { origin, destination }: Route): string {
  const end = ({ chain, currency }: Route['origin']) => `${chain.facts.id}:${currency.address}`;
  return `${party}>${user}>${end(origin)}>${end(destination)}`;
}

/** As `dropExpired`, up to the first that is valid: what was made later seldom ends sooner. Takes no longer for long lists. */
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
