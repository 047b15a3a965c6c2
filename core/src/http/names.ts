import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../contract/clock.js';
import { addressesOfHost, isLoopbackName } from './hosts.js';
import { isInside, LEADS_INSIDE } from './inside.js';
import { type ShareLimits, Shares } from './shares.js';

/** Code of the error where a name leads to no address that may be reached, whatever keeps it from that. */
export const LEADS_NOWHERE = 'ELEADSNOWHERE';
/** Code of the error where too many look-ups of one owner wait. */
export const TOO_MANY_NAMES = 'ETOOMANYNAMES';

const LIMITS: ShareLimits = { mostEach: 4, mostAll: 64, mostWaiting: 32 };
const TRIES = 2;
/** Addresses of one name that are tried. */
const MOST_ADDRESSES = 16;

export interface NameSettings {
  /** Whether an address may be reached though it is not public. */
  readonly isAllowed: (address: string) => boolean;
  /** Names that this machine itself gives: for services that may reach addresses inside at all. */
  readonly readsHosts: boolean;
  /** Longest time of a look-up, with its wait for a place. Milliseconds. */
  readonly timeoutMs: number;
  /** Addresses of name servers, with a port where it is another than 53. Default: those of the system. */
  readonly servers?: readonly string[];
}

/**
 * Looks up names that strangers choose, at name servers that strangers run.
 *
 * Invariants: a look-up takes no thread of the process, of which there are two for `getaddrinfo` by default, so that a silent name server
 * keeps no one else waiting; it ends in time; each owner has its own share of all that run at once; a stranger is told the same
 * whether a name leads inside or nowhere, so that names of this network cannot be guessed. Of a name that leads inside, no address
 * is given at all.
 *
 * Not guaranteed: that answers take equally long.
 */
export class Names {
  readonly #settings: NameSettings;
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #shares: Shares;
  /** By owner and name: connections of one endpoint that begin together ask once. */
  readonly #running = new Map<string, Promise<readonly LookupAddress[]>>();

  constructor(settings: NameSettings, clock: Pick<Clock, 'sleep'>, limits: ShareLimits = LIMITS) {
    this.#settings = settings;
    this.#clock = clock;
    this.#shares = new Shares(limits);
  }

  /** For names of a stranger, who shares places with no one else. */
  strangers(owner: string): LookupFunction {
    return this.#lookupOf(owner, (code) => (code === TOO_MANY_NAMES ? code : LEADS_NOWHERE));
  }

  /** For names of the operator, who reads what went wrong. */
  operators(owner: string): LookupFunction {
    return this.#lookupOf(owner, (code) => code);
  }

  #lookupOf(owner: string, told: (code: string) => string): LookupFunction {
    return (name, { all, family }, callback) => {
      this.#shared(owner, name).then(
        (found) => {
          const wanted = family === 4 || family === 6 ? found.filter((one) => one.family === family) : found;
          const [first] = wanted;
          if (first === undefined) callback(failure(told('ENODATA')), '', 0);
          else if (all) callback(null, [...wanted]);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => callback(failure(told(codeOf(error))), '', 0),
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
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / TRIES), tries: TRIES });
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
    return found.slice(0, MOST_ADDRESSES).map((address) => ({ address, family: isIP(address) }));
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
