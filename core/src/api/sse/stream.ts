import type { Clock, Random } from '../../contract/clock.js';
import type { Logger } from '../../contract/observability.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { ApiError, apiError } from '../../errors/api-error.js';
import { isNarrowed } from '../keys.js';
import type { Channel } from '../live/channel.js';
import { type SubscribeDeps, subscribe } from '../live/subscribe.js';
import type { Subscription } from '../live/subscriptions.js';
import { taken } from '../live/taken.js';
import type { ServerResponse } from '../server/http-types.js';
import type { SocketLimits } from '../ws/limits.js';
import { ALIVE, endText, eventText, gapText, positionText, retryText } from './stream-text.js';

export interface StreamDeps extends SubscribeDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly limits: SocketLimits;
}

/** Between these a client waits before it comes again, so that those who lost their streams together do not come together. */
const RETRY_MS = { least: 500, most: 3_000 } as const;
/** Time for a client to take the end of its stream. */
const GOODBYE_MS = 1_000;
const FILTERS = { key: 'own' } as const;

/** A moment to come again. */
export function retryMs(random: Random): number {
  return Math.round(RETRY_MS.least + random.fraction() * (RETRY_MS.most - RETRY_MS.least));
}

/**
 * One client that reads an event stream of its key's requests. One that does not take what it is sent is dropped, one that cannot be told
 * any more is told so and to come again: no stream is left open in silence.
 */
export class Stream {
  readonly #deps: StreamDeps;
  readonly #response: ServerResponse;
  /** As it last stood: what is told was allowed by that. */
  #key: ApiKeyRow;
  #subscription: Subscription | undefined;
  #isClosed = false;
  /** Not written yet. */
  #text = '';

  /** @param after feed position of the last event that the client has seen; null for from now on. */
  constructor(deps: StreamDeps, response: ServerResponse, key: ApiKeyRow, after: number | null) {
    this.#deps = deps;
    this.#response = response;
    this.#key = key;
    response.once('close', () => this.#forget());
    response.on('error', () => this.#forget());
    this.#write(retryText(retryMs(deps.random)));
    void this.#begin(after);
  }

  get keyId(): string {
    return this.#key.id;
  }

  /** @param key as it stands now; undefined where it is none any more. */
  check(key: ApiKeyRow | undefined): void {
    if (key === undefined) this.end(apiError('UNAUTHORIZED', 'The API key is not valid any more'));
    else if (isNarrowed(this.#key, key))
      this.end(apiError('UNAUTHORIZED', 'The API key was granted less: connect again'));
    else this.#key = key;
  }

  /** Once all was told, the position goes on with the feed: a client whose own requests are few never falls behind the window. */
  alive(): void {
    const { feed } = this.#deps.hub;
    this.#write(this.#subscription === undefined ? ALIVE : positionText(feed.position));
  }

  /** Says why there is no more, and when to come again. */
  end(error: ApiError): void {
    if (this.#isClosed) return;
    this.#write(retryText(retryMs(this.#deps.random)) + endText(error.toBody()));
    this.#flush();
    this.#forget();
    const response = this.#response;
    response.end();
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    void this.#deps.clock.sleep(GOODBYE_MS, gone.signal).then(() => response.destroy());
  }

  #forget(): void {
    this.#isClosed = true;
    if (this.#subscription) this.#deps.hub.subscriptions.remove(this.#subscription);
    this.#subscription = undefined;
  }

  async #begin(after: number | null): Promise<void> {
    const { hub, log } = this.#deps;
    const channel = this.#channel();
    try {
      await hub.feed.start();
      let from = after;
      if (from !== null && from > hub.feed.position) {
        await hub.feed.read();
        const { position } = hub.feed;
        // The service goes on from an older state. A client of this kind cannot mend what it asks for.
        if (from > position) {
          channel.missed(from, position);
          from = position;
        }
      }
      const subscription = await subscribe(this.#deps, { filters: FILTERS, after: from }, this.#key, channel);
      if (subscription instanceof ApiError) this.end(subscription);
      else if (subscription && this.#isClosed) hub.subscriptions.remove(subscription);
      else this.#subscription = subscription;
    } catch (error) {
      log.warn({ err: error }, 'an event stream could not begin');
      this.end(apiError('SERVICE_UNAVAILABLE', 'Events cannot be read now'));
    }
  }

  /** What is told at once is written at once: the bound is on what was not taken of what came before. */
  #write(text: string): void {
    if (this.#isClosed) return;
    if (this.#text === '') queueMicrotask(() => this.#flush());
    this.#text += text;
  }

  #flush(): void {
    if (this.#isClosed || this.#text === '') return;
    // There is no way to tell it: what is told comes behind what it does not take.
    if (this.#response.writableLength > this.#deps.limits.maxBufferedBytes) return this.#drop();
    this.#response.write(this.#text);
    this.#text = '';
  }

  #drop(): void {
    this.#forget();
    this.#response.destroy();
  }

  #channel(): Channel {
    const isOpen = () => !this.#isClosed;
    return {
      get isOpen() {
        return isOpen();
      },
      begun: (position) => this.#write(positionText(position)),
      told: (frame, position) => this.#write(eventText(frame, position)),
      missed: (from, to) => this.#write(gapText(from, to)),
      ready: async () => {
        const { clock, limits } = this.#deps;
        const waits = () => (this.#isClosed ? 0 : this.#response.writableLength + this.#text.length);
        if (!(await taken(clock, limits, waits))) this.#drop();
      },
      overrun: () => this.#drop(),
    };
  }
}
