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

/** Random delay before a reconnect, so that clients that lost their streams together do not return together. */
const RETRY_MS = { least: 500, most: 3_000 } as const;
const CLOSE_TIMEOUT_MS = 1_000;
const FILTERS = { key: 'own' } as const;

export function retryMs(random: Random): number {
  return Math.round(RETRY_MS.least + random.fraction() * (RETRY_MS.most - RETRY_MS.least));
}

/**
 * Clients that do not read are dropped; if events cannot be read, the stream ends with an error and a retry time. No
 * stream stays open and silent.
 */
export class Stream {
  readonly #deps: StreamDeps;
  readonly #response: ServerResponse;
  /** Its last read state, which decides what may be sent. */
  #key: ApiKeyRow;
  #subscription: Subscription | undefined;
  #isClosed = false;
  #text = '';

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

  /** @param key its current state; undefined if it is no longer valid. */
  check(key: ApiKeyRow | undefined): void {
    if (key === undefined) this.end(apiError('UNAUTHORIZED', 'The API key is not valid any more'));
    else if (isNarrowed(this.#key, key))
      this.end(apiError('UNAUTHORIZED', 'The API key was granted less: connect again'));
    else this.#key = key;
  }

  /** When all was sent, the position follows the feed: a client with few requests never falls behind the window. */
  alive(): void {
    const { feed } = this.#deps.hub;
    this.#write(this.#subscription === undefined ? ALIVE : positionText(feed.position));
  }

  end(error: ApiError): void {
    if (this.#isClosed) return;
    this.#write(retryText(retryMs(this.#deps.random)) + endText(error.toBody()));
    this.#flush();
    this.#forget();
    const response = this.#response;
    response.end();
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    void this.#deps.clock.sleep(CLOSE_TIMEOUT_MS, gone.signal).then(() => response.destroy());
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
        // The service was restored to an older state. This client cannot change its position.
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

  /** One batch is always written whole: the limit applies to earlier unread output. */
  #write(text: string): void {
    if (this.#isClosed) return;
    if (this.#text === '') queueMicrotask(() => this.#flush());
    this.#text += text;
  }

  #flush(): void {
    if (this.#isClosed || this.#text === '') return;
    // No message: it would queue behind the unread output.
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
      reported: (frame, position) => this.#write(eventText(frame, position)),
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
