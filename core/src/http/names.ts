import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../contract/clock.js';
import { addressesOfHost, isLoopbackName } from './hosts.js';
import { isInside, LEADS_INSIDE } from './inside.js';
import { type ShareLimits, Shares } from './shares.js';

/** No permitted address, whatever the cause. */
export const LEADS_NOWHERE = 'ELEADSNOWHERE';
/** Error code when too many look-ups of one owner wait. */
export const TOO_MANY_NAMES = 'ETOOMANYNAMES';

const LIMITS: ShareLimits = { mostEach: 4, mostAll: 64, mostWaiting: 32 };
const LOOKUP_TRIES = 2;
const MAX_ADDRESSES = 16;

export interface NameSettings {
  /** Whether a non-public address may be reached. */
  readonly isAllowed: (address: string) => boolean;
  /** Uses this machine's hosts file: for services that may reach internal addresses. */
  readonly readsHosts: boolean;
  /** Limit for a look-up including its wait, milliseconds. */
  readonly timeoutMs: number;
  /** Name servers, with the port unless it is 53. Default: the system's. */
  readonly servers?: readonly string[];
}

/**
 * Resolves names that third parties choose, and that name servers of third parties may answer.
 *
 * Invariants: no libuv thread is used (`getaddrinfo` does), so a silent name server delays no one else; a look-up ends
 * in time; each owner has its own share; internal and missing names give the same error, so this network cannot be
 * probed; a name with any internal address yields none.
 *
 * Not guaranteed: equal response times.
 */
export class Names {
  readonly #settings: NameSettings;
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #shares: Shares;
  /** By owner and name: concurrent connections to one endpoint share a look-up. */
  readonly #running = new Map<string, Promise<readonly LookupAddress[]>>();

  constructor(settings: NameSettings, clock: Pick<Clock, 'sleep'>, limits: ShareLimits = LIMITS) {
    this.#settings = settings;
    this.#clock = clock;
    this.#shares = new Shares(limits);
  }

  strangers(owner: string): LookupFunction {
    return this.#lookupOf(owner, (code) =>
      /* guard: internal-names */ code === TOO_MANY_NAMES ? code : LEADS_NOWHERE,
    );
  }

  /** For the operator's names, with errors that state the cause. */
  operators(owner: string): LookupFunction {
    return this.#lookupOf(owner, (code) => code);
  }

  #lookupOf(owner: string, reported: (code: string) => string): LookupFunction {
    return (name, { all, family }, callback) => {
      this.#shared(owner, name).then(
        (found) => {
          const wanted = family === 4 || family === 6 ? found.filter((one) => one.family === family) : found;
          const [first] = wanted;
          if (first === undefined) callback(failure(reported('ENODATA')), '', 0);
          else if (all) callback(null, [...wanted]);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => callback(failure(reported(codeOf(error))), '', 0),
      );
    };
  }

  #shared(owner: string, name: string): Promise<readonly LookupAddress[]> {
    const key = `${owner} ${name}`;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const begun = this.#inTime(owner, name).finally(() => this.#running.delete(key));
    this.#running.set(key, begun);
    return begun;
  }

  async #inTime(owner: string, name: string): Promise<readonly LookupAddress[]> {
    const { timeoutMs, servers } = this.#settings;
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / LOOKUP_TRIES), tries: LOOKUP_TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const [late, over] = [new AbortController(), new AbortController()];
    void this.#clock.sleep(timeoutMs, over.signal).then(() => {
      if (over.signal.aborted) return;
      late.abort();
      resolver.cancel();
    });
    let leave: (() => void) | undefined;
    try {
      leave = await this.#shares.take(owner, late.signal);
      if (leave === undefined) throw failure(late.signal.aborted ? 'ETIMEOUT' : TOO_MANY_NAMES);
      return this.#outside(await this.#addressesOf(name, resolver));
    } finally {
      over.abort();
      leave?.();
    }
  }

  async #addressesOf(name: string, resolver: Resolver): Promise<readonly string[]> {
    const { readsHosts } = this.#settings;
    const own = readsHosts ? await addressesOfHost(name) : [];
    if (own.length > 0) return own;
    if (isLoopbackName(name)) throw failure(LEADS_INSIDE);
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [four, six].flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (found.length === 0) throw four.status === 'rejected' ? four.reason : failure('ENODATA');
    return found;
  }

  #outside(found: readonly string[]): readonly LookupAddress[] {
    if (found.some((address) => isInside(address) && !this.#settings.isAllowed(address))) throw failure(LEADS_INSIDE);
    return found.slice(0, MAX_ADDRESSES).map((address) => ({ address, family: isIP(address) }));
  }
}

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  if (code === 'ECANCELLED') return 'ETIMEOUT';
  return typeof code === 'string' ? code : 'EBADNAME';
}
