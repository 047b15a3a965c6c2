import type { LookupFunction } from 'node:net';
import type { Clock, Notifier, NotifierOutcome, OutboxEvent } from '@causeway/core';
import { bodyOf } from '../body.js';
import type { SignatureForm } from '../options.js';
import { type Secret, standardHeaders, timestampedHeaders } from '../signing.js';
import { Connections } from './connections.js';
import { type Answer, type Line, post, type Timeouts } from './post.js';
import { Watch } from './watch.js';

const DAY_MS = 86_400_000;

export interface EndpointSettings {
  readonly id: string;
  readonly url: URL;
  readonly secrets: readonly [Secret, ...Secret[]];
  readonly signatures: readonly SignatureForm[];
  readonly headers: Readonly<Record<string, string>>;
  readonly chains: ReadonlySet<number>;
  readonly statuses: ReadonlySet<string>;
  readonly timeouts: Timeouts;
  readonly lookup: LookupFunction;
}

/** Has its own connections, so that a slow endpoint takes none from others. */
export class Endpoint implements Notifier {
  readonly id: string;
  readonly #settings: EndpointSettings;
  readonly #clock: Clock;
  readonly #line: Line;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(settings: EndpointSettings, clock: Clock) {
    const { id, url, lookup, timeouts, headers } = settings;
    this.id = id;
    this.#settings = settings;
    this.#clock = clock;
    this.#path = url.pathname + url.search;
    this.#headers = { ...headers, 'content-type': 'application/json', 'accept-encoding': 'identity' };
    this.#line = {
      connections: new Connections(url, lookup, timeouts.connectMs, clock),
      watch: new Watch(Math.min(...Object.values(timeouts)), clock),
      ...{ timeouts, clock },
    };
  }

  /** Only 2xx is a delivery, and only 410 disables the endpoint. */
  async deliver(event: OutboxEvent): Promise<NotifierOutcome> {
    if (!this.#wants(event)) return { outcome: 'delivered' };
    const body = bodyOf(event);
    const headers = { ...this.#headers, ...this.#signed(event.id, body) };
    return this.#reported(await post({ path: this.#path, headers, body }, this.#line));
  }

  close(): void {
    this.#line.connections.close();
    this.#line.watch.close();
  }

  retire(): void {
    this.#line.connections.retire();
  }

  #signed(id: string, body: string): Readonly<Record<string, string>> {
    const { secrets, signatures } = this.#settings;
    const now = this.#clock.now();
    return {
      ...(signatures.includes('standard') ? standardHeaders(id, now, body, secrets) : {}),
      ...(signatures.includes('timestamped') ? timestampedHeaders(now, body, secrets[0]) : {}),
    };
  }

  /** Filtered events count as delivered. */
  #wants({ payload }: OutboxEvent): boolean {
    const { chains, statuses } = this.#settings;
    if (chains.size + statuses.size === 0) return true;
    const { data = {} } = (payload ?? {}) as { readonly data?: Readonly<Record<string, unknown>> };
    if (statuses.size > 0 && !statuses.has(String(data['status']))) return false;
    const sides = [data['originChainId'], data['destinationChainId']];
    return chains.size === 0 || sides.some((side) => typeof side === 'number' && chains.has(side));
  }

  #reported(reported: Answer): NotifierOutcome {
    if (!reported.ok) return { outcome: 'retry', afterMs: 0, why: reported.why };
    const { status, body } = reported;
    const answer = { status, body };
    if (status >= 200 && status < 300) return { outcome: 'delivered', answer };
    const why =
      status >= 300 && status < 400 ? `it redirects (${status}), which is not followed` : `it answers ${status}`;
    if (status === 410) return { outcome: 'gone', why, answer };
    return { outcome: 'retry', afterMs: this.#pauseOf(reported.retryAfter), why, answer };
  }

  /** Retry-After in seconds or as a date, bounded. */
  #pauseOf(text: string | undefined): number {
    if (text === undefined) return 0;
    const seconds = Number(text);
    const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(text) - this.#clock.now();
    return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), DAY_MS) : 0;
  }
}
