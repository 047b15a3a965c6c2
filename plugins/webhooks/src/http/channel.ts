import { isIP } from 'node:net';
import type { Clock, EndpointChannel, NotifierOutcome, OutboxEvent, Random, RegisteredEndpoint } from '@causeway/core';
import { type Names, TOO_MANY_NAMES } from '@causeway/core/http';
import { isReserved } from '../reserved.js';
import { secretOf, textOfSecret } from '../signing.js';
import { type Rules, refusalOf } from './allowed.js';
import { Endpoint } from './endpoint.js';
import { NOWHERE, type Timeouts } from './post.js';

/** The least recently used endpoints beyond these reconnect. */
const MAX_CACHED_ENDPOINTS = 1_000;
const SECRET_BYTES = 32;

export interface ChannelSettings {
  readonly id: string;
  readonly rules: Rules;
  readonly names: Pick<Names, 'strangers'>;
  readonly timeouts: Timeouts;
}

interface Kept {
  readonly registered: RegisteredEndpoint;
  readonly endpoint: Endpoint;
}

export class WebhookChannel implements EndpointChannel {
  readonly id: string;
  readonly #settings: ChannelSettings;
  readonly #clock: Clock;
  readonly #random: Pick<Random, 'bytes'>;
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>();

  constructor(settings: ChannelSettings, clock: Clock, random: Pick<Random, 'bytes'>) {
    this.id = settings.id;
    this.#settings = settings;
    this.#clock = clock;
    this.#random = random;
  }

  newSecret(): string {
    return textOfSecret(this.#random.bytes(SECRET_BYTES));
  }

  async refuse({
    owner,
    url,
    headers,
  }: Parameters<EndpointChannel['refuse']>[0]): ReturnType<EndpointChannel['refuse']> {
    const reserved = Object.keys(headers).find(isReserved);
    if (reserved !== undefined) return { field: 'headers', reason: `${reserved} is set by the service` };
    const refusal = refusalOf(url, this.#settings.rules);
    if (refusal !== undefined) return { field: 'url', reason: refusal };
    const { hostname } = new URL(url);
    const code = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? await this.#lookUp(owner, hostname) : undefined;
    if (code === undefined) return undefined;
    const tooMany = code === TOO_MANY_NAMES;
    return { field: 'url', reason: tooMany ? 'too many of your names are being looked up: try again' : NOWHERE };
  }

  async deliver(event: OutboxEvent, registered: RegisteredEndpoint): Promise<NotifierOutcome> {
    return this.#endpointOf(registered).deliver(event);
  }

  close(): void {
    for (const { endpoint } of this.#kept.values()) endpoint.close();
    this.#kept.clear();
  }

  /** Code of the failure; undefined where the name leads to allowed addresses. */
  #lookUp(owner: string, hostname: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#settings.names.strangers(owner)(hostname, { all: true }, (error) => resolve(error?.code));
    });
  }

  #endpointOf(registered: RegisteredEndpoint): Endpoint {
    const { id, owner, url, secrets, signatures, headers } = registered;
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    if (kept?.registered === registered) {
      this.#kept.set(id, kept);
      return kept.endpoint;
    }
    // Deliveries in flight may still end; no new connections are opened.
    kept?.endpoint.retire();
    const [newest, ...rest] = secrets;
    const { names, timeouts } = this.#settings;
    const endpoint = new Endpoint(
      {
        ...{
          id,
          url: new URL(url),
          lookup: names.strangers(owner),
          timeouts,
          signatures,
          headers,
          chains: new Set(),
          statuses: new Set(),
        },
        secrets: [secretOf(newest), ...rest.map(secretOf)],
      },
      this.#clock,
    );
    this.#kept.set(id, { registered, endpoint });
    for (const [oldest, { endpoint: old }] of this.#kept) {
      if (this.#kept.size <= MAX_CACHED_ENDPOINTS) break;
      this.#kept.delete(oldest);
      old.retire();
    }
    return endpoint;
  }
}
