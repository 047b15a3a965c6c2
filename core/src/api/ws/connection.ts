import type { WebSocket } from 'ws';
import type { Clock } from '../../contract/clock.js';
import type { Logger } from '../../contract/observability.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { ApiError, apiError } from '../../errors/api-error.js';
import { isNarrowed } from '../keys.js';
import type { Channel } from '../live/channel.js';
import { nameOf, type SubscribeDeps, subscribe } from '../live/subscribe.js';
import type { Subscription } from '../live/subscriptions.js';
import { taken } from '../live/taken.js';
import { type Ask, doneFrame, errorFrame, gapFrame, readFrame, readyFrame } from './frames.js';
import type { SocketLimits } from './limits.js';

/** Close codes (RFC 6455, 7.4.1, and 1013 of its registry). */
export const CLOSE = { goingAway: 1001, policy: 1008, internalError: 1011, tryLater: 1013 } as const;

export interface ConnectionDeps extends SubscribeDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: SocketLimits;
}

const WINDOW_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;
const MAX_REASON_BYTES = 123;

/**
 * An unreliable socket is closed, never left silent, because public clients do not poll while it is open. So a
 * refusal that leaves no subscription closes it too.
 */
export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #socket: WebSocket;
  /** Current state of the key it was opened with; null without one. */
  readonly #key: () => Promise<ApiKeyRow | null | 'gone'>;
  readonly #subscriptions = new Map<string, Subscription>();
  /** Last read state of the key, which decides what may be sent. */
  #seen: ApiKeyRow | null = null;
  #isClosed = false;
  #isAlive = true;
  #frames = 0;
  #windowEnds = 0;
  #waiting = 0;
  /** Frames are processed in order, so that an unsubscribe cannot overtake its subscribe. */
  #work: Promise<void> = Promise.resolve();

  constructor(deps: ConnectionDeps, socket: WebSocket, id: string, key: () => Promise<ApiKeyRow | null | 'gone'>) {
    this.#deps = deps;
    this.#socket = socket;
    this.#key = key;
    socket.on('message', (data) => this.#receive(data.toString()));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    // Too large or broken frames: ws closes with the matching code.
    socket.on('error', () => this.#forget());
    socket.once('close', () => this.#forget());
    this.#send(readyFrame(id));
  }

  ping(): void {
    if (!this.#isAlive) {
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
    void this.checkKey();
  }

  /** Closes when the key is no longer valid or lost rights since the last check. */
  async checkKey(): Promise<void> {
    try {
      const key = await this.#keyNow();
      if (key instanceof ApiError) this.close(CLOSE.policy, key.message);
    } catch {
      // The store is unreachable. If that lasts, the feed closes everything.
    }
  }

  /**
   * Invariant: no subscription sends what the key's current state may not see. A key that lost rights closes the
   * connection, because its subscriptions would continue; for new rights the client subscribes again.
   */
  async #keyNow(): Promise<ApiKeyRow | null | ApiError> {
    const key = await this.#key();
    if (key === 'gone') return apiError('UNAUTHORIZED', 'The API key is not valid any more');
    const before = this.#seen;
    if (before && key && isNarrowed(before, key)) {
      this.close(CLOSE.policy, 'The API key was granted less: connect again');
      return apiError('UNAUTHORIZED', 'The API key was granted less: connect again');
    }
    this.#seen = key;
    return key;
  }

  /** @param reason at most 123 bytes. */
  close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#forget();
    this.#socket.close(code, reason);
    const gone = new AbortController();
    this.#socket.once('close', () => gone.abort());
    void this.#deps.clock.sleep(CLOSE_TIMEOUT_MS, gone.signal).then(() => this.#socket.terminate());
  }

  #forget(): void {
    this.#isClosed = true;
    for (const subscription of this.#subscriptions.values()) this.#deps.hub.subscriptions.remove(subscription);
    this.#subscriptions.clear();
  }

  #send(frame: string): void {
    if (this.#isClosed) return;
    if (this.#socket.bufferedAmount > this.#deps.limits.maxBufferedBytes) this.#overrun();
    else this.#socket.send(frame);
  }

  #overrun(): void {
    this.close(CLOSE.tryLater, 'Frames are not taken fast enough');
  }

  #channel(ask: Ask): Channel {
    const isOpen = () => !this.#isClosed;
    return {
      get isOpen() {
        return isOpen();
      },
      begun: (position) => this.#send(doneFrame(ask, position)),
      reported: (frame) => this.#send(frame),
      missed: (from, to) => this.#send(gapFrame(from, to)),
      ready: () => this.#ready(),
      overrun: () => this.#overrun(),
    };
  }

  /** Resolves once the client has read most of its backlog. */
  async #ready(): Promise<void> {
    const { clock, limits } = this.#deps;
    const waits = () => (this.#isClosed ? 0 : this.#socket.bufferedAmount);
    if (!(await taken(clock, limits, waits))) this.#overrun();
  }

  #receive(text: string): void {
    if (this.#isClosed) return;
    const now = this.#deps.clock.monotonic();
    if (now >= this.#windowEnds) {
      this.#windowEnds = now + WINDOW_MS;
      this.#frames = 0;
    }
    this.#frames += 1;
    if (Math.max(this.#frames, this.#waiting) > this.#deps.limits.frames) {
      this.#send(errorFrame('error', apiError('RATE_LIMITED', 'Too many frames')));
      this.close(CLOSE.policy, 'Too many frames');
      return;
    }
    this.#waiting += 1;
    this.#work = this.#work
      .then(() => this.#handle(text))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async #handle(text: string): Promise<void> {
    if (this.#isClosed) return;
    const ask = readFrame(text);
    if (ask instanceof ApiError) {
      this.#refuse('error', ask);
      return;
    }
    const name = nameOf(ask.filters);
    const before = this.#subscriptions.get(name);
    if (before) this.#drop(before);
    if (ask.type === 'unsubscribe') {
      this.#send(doneFrame(ask));
      return;
    }
    const { limits, log } = this.#deps;
    if (this.#subscriptions.size >= limits.subscriptions) {
      this.#refuse(ask.type, apiError('RATE_LIMITED', `At most ${limits.subscriptions} subscriptions per socket`));
      return;
    }
    try {
      const key = await this.#keyNow();
      const subscription = key instanceof ApiError ? key : await subscribe(this.#deps, ask, key, this.#channel(ask));
      if (subscription === undefined) return;
      if (subscription instanceof ApiError) this.#refuse(ask.type, subscription);
      else if (this.#isClosed) this.#deps.hub.subscriptions.remove(subscription);
      else this.#subscriptions.set(name, subscription);
    } catch (error) {
      log.warn({ err: error }, 'a subscription failed');
      this.#send(errorFrame(ask.type, apiError('SERVICE_UNAVAILABLE')));
      this.close(CLOSE.internalError, 'The status cannot be read now');
    }
  }

  #drop(subscription: Subscription): void {
    this.#subscriptions.delete(subscription.name);
    this.#deps.hub.subscriptions.remove(subscription);
  }

  #refuse(type: string, error: ApiError): void {
    this.#send(errorFrame(type, error));
    if (this.#subscriptions.size === 0) this.close(CLOSE.policy, cut(error.message));
  }
}

/** The first of its characters that fit into a close frame (RFC 6455, 5.5.1). */
function cut(text: string): string {
  let fits = '';
  for (const character of text) {
    if (Buffer.byteLength(fits + character) > MAX_REASON_BYTES) break;
    fits += character;
  }
  return fits;
}
