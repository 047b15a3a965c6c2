import { WebSocket } from 'ws';
import type { Clock } from '../contract/clock.js';

const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 10_000;
const HANDSHAKE_MS = 5000;
const MAX_FRAME_BYTES = 8 * 1024 * 1024;

export interface SubscriptionTopics<T> {
  readonly requests: readonly { readonly method: string; readonly params: readonly unknown[] }[];
  /** Undefined for a message without news. */
  read(message: JsonMessage): T | undefined;
}

/** A notification, unchecked. */
export interface JsonMessage {
  readonly method?: unknown;
  readonly params?: { readonly result?: unknown };
}

/** Subscriptions over one websocket. Only a wake-up: polling finds what it misses. Reconnects until closed. */
export class Subscription<T> {
  readonly #stop = new AbortController();
  readonly #clock: Clock;
  readonly #topics: SubscriptionTopics<T>;
  readonly #onNews: (news: T) => void;
  #socket: WebSocket | undefined;

  constructor(
    readonly url: string,
    topics: SubscriptionTopics<T>,
    services: { clock: Clock },
    onNews: (news: T) => void,
  ) {
    this.#clock = services.clock;
    this.#topics = topics;
    this.#onNews = onNews;
    void this.#run();
  }

  close(): void {
    this.#stop.abort();
    this.#socket?.terminate();
  }

  restart(): void {
    this.#socket?.terminate();
  }

  async #run(): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    while (!this.#stop.signal.aborted) {
      const heard = await this.#connect();
      pause = heard ? FIRST_PAUSE_MS : Math.min(pause * 2, LAST_PAUSE_MS);
      await this.#clock.sleep(pause, this.#stop.signal);
    }
  }

  #connect(): Promise<boolean> {
    return new Promise((resolve) => {
      let heard = false;
      const socket = new WebSocket(this.url, { handshakeTimeout: HANDSHAKE_MS, maxPayload: MAX_FRAME_BYTES });
      this.#socket = socket;
      socket.on('open', () => {
        if (this.#stop.signal.aborted) return socket.terminate();
        this.#topics.requests.forEach((request, n) => {
          socket.send(JSON.stringify({ jsonrpc: '2.0', id: n + 1, ...request }));
        });
      });
      socket.on('message', (data) => {
        const news = this.#newsIn(String(data));
        if (news === undefined || this.#stop.signal.aborted) return;
        heard = true;
        this.#onNews(news);
      });
      // 'close' always follows 'error'.
      socket.on('error', () => socket.terminate());
      socket.on('close', () => resolve(heard));
    });
  }

  #newsIn(text: string): T | undefined {
    try {
      return this.#topics.read(JSON.parse(text) as JsonMessage);
    } catch {
      return undefined;
    }
  }
}
