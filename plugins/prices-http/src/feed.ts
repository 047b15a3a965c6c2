import type { Alerts, Clock, Logger, Metrics, PriceBoard, Random } from '@causeway/core';
import { type Fetched, fetchText } from './http/fetch-text.js';
import { jittered, type Patience, pauseAfter } from './patience.js';
import { type Reading, readAnswer } from './shapes/read-answer.js';
import { type FeedRequest, requestsFor, type Shape } from './shapes/shape.js';

export interface FeedSettings extends Patience {
  readonly provider: string;
  readonly shape: Shape;
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Added to every request; may hold keys. */
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** One id may price several assets. */
  readonly wanted: readonly { readonly id: string; readonly asset: string; readonly in?: string }[];
  readonly pollMs: number;
  readonly jitter: number;
  readonly maxAgeMs: number;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly parallel: number;
}

export interface FeedServices {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
  readonly log: Logger;
}

type Failure = Extract<Fetched, { ok: false }>;

/** No answer makes it throw. */
export class Feed {
  readonly #settings: FeedSettings;
  readonly #services: FeedServices;
  readonly #board: Pick<PriceBoard, 'record'>;
  readonly #ids: readonly string[];
  readonly #stop = new AbortController();
  #failed = 0;
  #running: Promise<void> | undefined;

  constructor(settings: FeedSettings, board: Pick<PriceBoard, 'record'>, services: FeedServices) {
    this.#settings = settings;
    this.#services = services;
    this.#board = board;
    this.#ids = [...new Set(settings.wanted.map(({ id }) => id))];
  }

  /** Resolves when the first round is over, with or without success. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#running = this.#run(resolve);
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(afterFirst: () => void): Promise<void> {
    const { clock, random } = this.#services;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const pause = this.#settle(await this.#round());
      afterFirst();
      await clock.sleep(jittered(pause, this.#settings.jitter, random.fraction()), signal);
    }
    afterFirst();
  }

  /** Stops at the first failure. While the circuit is open, the first request is the trial. */
  async #round(): Promise<Failure | undefined> {
    const { shape, parallel, breaker } = this.#settings;
    const requests = requestsFor(shape, this.#ids);
    const readings = new Map<string, Reading>();
    for (let n = 0; n < requests.length; ) {
      const size = n === 0 && this.#failed >= breaker.failures ? 1 : parallel;
      const failures = await Promise.all(requests.slice(n, n + size).map((request) => this.#ask(request, readings)));
      const failure = failures.find((one) => one !== undefined);
      if (failure !== undefined || this.#stop.signal.aborted) return failure;
      n += size;
    }
    return this.#judge(readings);
  }

  async #ask({ path, ids }: FeedRequest, readings: Map<string, Reading>): Promise<Failure | undefined> {
    const { shape, provider, headers, timeoutMs, maxBytes } = this.#settings;
    const { clock, metrics } = this.#services;
    const [asked, started] = [clock.now(), clock.monotonic()];
    const stop = this.#stop.signal;
    const fetched = await fetchText({ url: this.#urlOf(path), headers, timeoutMs, maxBytes, clock, stop });
    const answer = fetched.ok ? readAnswer(shape, fetched.text, ids) : undefined;
    const labels = { provider, ok: String(answer?.ok === true) };
    metrics.observe('request', 'Time of a request to a price provider', clock.monotonic() - started, labels);
    if (!fetched.ok) {
      // A provider that refuses a single-id request may know the other ids.
      if (fetched.kind !== 'refused' || ids.length > 1) return fetched;
      for (const id of ids) readings.set(id, { result: 'missing' });
      return undefined;
    }
    if (answer?.ok === false) return { ok: false, kind: 'failed', why: answer.why };
    for (const [id, reading] of answer?.readings ?? []) {
      readings.set(id, reading);
      if (reading.result === 'price') this.#record(id, reading.price, reading.at ?? asked);
    }
    return undefined;
  }

  #record(id: string, price: bigint, at: number): void {
    const { provider, wanted, maxAgeMs } = this.#settings;
    const freshUntil = Math.min(at, this.#services.clock.now()) + maxAgeMs;
    for (const { asset, id: theirs, in: unit } of wanted) {
      if (theirs !== id) continue;
      this.#board.record(asset, provider, { price, at, freshUntil, ...(unit === undefined ? {} : { in: unit }) });
    }
  }

  /** An answer without any usable price counts as a failure. */
  #judge(readings: ReadonlyMap<string, Reading>): Failure | undefined {
    const { provider, maxAgeMs } = this.#settings;
    const { alerts, metrics, clock } = this.#services;
    const useless: string[] = [];
    for (const [id, reading] of readings) {
      const isOld = reading.result === 'price' && clock.now() - (reading.at ?? clock.now()) > maxAgeMs;
      const result = isOld ? 'old' : reading.result;
      metrics.count('answers', 'What providers said about an id', { provider, result });
      if (result !== 'price') useless.push(`${id} (${result})`);
    }
    const few = useless.slice(0, 10).join(', ');
    const rest = useless.length > 10 ? ` and ${useless.length - 10} more` : '';
    const why = `it says nothing usable about ${few}${rest}`;
    if (useless.length === 0) alerts.clear(`useless-${provider}`);
    else alerts.raise(`useless-${provider}`, `price provider ${provider}: ${why}`);
    return useless.length > 0 && useless.length === readings.size ? { ok: false, kind: 'failed', why } : undefined;
  }

  /** Counts the round. @returns the pause before the next one. */
  #settle(failure: Failure | undefined): number {
    const { provider, pollMs, breaker } = this.#settings;
    const { alerts, metrics, log } = this.#services;
    const name = `${provider} (${new URL(this.#settings.url).host})`;
    if (failure === undefined) {
      if (this.#failed >= breaker.failures) log.info({ provider }, 'price provider is back');
      this.#failed = 0;
      alerts.clear(`provider-${provider}`);
      metrics.gauge('circuit_open', '1 while a provider is left alone', 0, { provider });
      return pollMs;
    }
    if (this.#stop.signal.aborted) return 0;
    this.#failed += 1;
    const { ms, open } = pauseAfter(this.#failed, this.#settings, failure.retryAfterMs);
    metrics.count('failures', 'Rounds that failed', { provider, kind: failure.kind });
    metrics.gauge('circuit_open', '1 while a provider is left alone', open ? 1 : 0, { provider });
    log.warn({ provider, failed: this.#failed, pauseMs: ms, why: failure.why }, 'price provider failed');
    if (open)
      alerts.raise(`provider-${provider}`, `price provider ${name} failed ${this.#failed} times: ${failure.why}`);
    // A throttling provider is never polled faster than usual.
    return failure.kind === 'throttled' ? Math.max(ms, pollMs) : ms;
  }

  #urlOf(path: string): string {
    const { url, query } = this.#settings;
    const more = Object.entries(query).map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
    );
    const joint = path.includes('?') ? '&' : '?';
    return `${url}${path}${more.length === 0 ? '' : joint + more.join('&')}`;
  }
}
