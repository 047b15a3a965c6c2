import { type Alerts, type Clock, type ExactJson, type Logger, type Metrics, writeExact } from '@causeway/core';
import { type Agent, agentFor } from '../http/agent.js';
import { type Exchanged, exchange } from '../http/exchange.js';
import type { Settings } from '../settings.js';
import { bodyFor, pathFor, type Values } from '../shapes/fill-in.js';
import { type Reading, type Reported, readAnswer } from '../shapes/read-answer.js';
import type { Ask } from '../shapes/shape.js';
import { Breaker } from './breaker.js';
import { Gate } from './gate.js';

export interface Services {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
}

export type Heard =
  | Extract<Reading, { readonly ok: true }>
  /** `none`: the aggregator has no route. `unavailable`: nothing is known. Messages quote nothing of its answer. */
  | { readonly ok: false; readonly is: 'none' | 'unavailable'; readonly message: string };

interface Asking {
  readonly isPaid: boolean;
  readonly signal: AbortSignal;
}

const ALERT = 'circuit-open';

/** No answer makes it throw. */
export class Aggregator {
  readonly #settings: Settings;
  readonly #services: Services;
  /** Failing quotes do not open the circuit of paid orders. An answer to either closes both. */
  readonly #breakers: { readonly paid: Breaker; readonly quote: Breaker };
  readonly #gate: Gate;
  readonly #agent: Agent;
  readonly #stop = new AbortController();

  constructor(settings: Settings, services: Services) {
    this.#settings = settings;
    this.#services = services;
    const breaker = () => new Breaker(settings.breaker, services.clock);
    this.#breakers = { paid: breaker(), quote: breaker() };
    this.#gate = new Gate(settings.room, services.clock);
    this.#agent = agentFor(settings.url, settings.room.atOnce);
  }

  /**
   * @param stage for metrics. @param before answer to the quote, for a request for calls.
   * @param needs fields that every answer with a route must have.
   */
  async ask(
    stage: 'quote' | 'build',
    ask: Ask,
    needs: readonly (keyof Reported)[],
    values: Values,
    before: ExactJson,
    { isPaid, signal }: Asking,
  ): Promise<Heard> {
    const breaker = this.#breakers[isPaid ? 'paid' : 'quote'];
    if (!breaker.admits()) return this.#report(stage, 'left alone', 'it failed, and is not asked for now');
    const ends = AbortSignal.any([signal, this.#stop.signal]);
    const turn = await this.#gate.take(() => this.#exchange(stage, ask, values, before, ends), isPaid, ends);
    if (!turn.ok) {
      breaker.inconclusive();
      return this.#report(
        stage,
        turn.why,
        turn.why === 'busy' ? 'it has too many requests' : 'no caller waits for it any more',
      );
    }
    return this.#judge(stage, ask, needs, turn.value, breaker);
  }

  stop(): void {
    this.#stop.abort();
    this.#agent.destroy();
  }

  async #exchange(stage: string, ask: Ask, values: Values, before: ExactJson, signal: AbortSignal): Promise<Exchanged> {
    const { headers, timeouts, maxBytes, allowInside } = this.#settings;
    const { clock, metrics } = this.#services;
    let body: string | undefined;
    try {
      if (ask.body !== undefined) body = writeExact(bodyFor(ask.body, values, before));
    } catch {
      return { ok: false, is: 'failed', why: 'its quote is nested too deep to be sent back' };
    }
    const asked = { method: ask.method, url: this.#urlFor(ask, values), headers, ...(body !== undefined && { body }) };
    const started = clock.monotonic();
    const reported = await exchange(asked, { ...timeouts, maxBytes, allowInside }, this.#agent, clock, signal);
    const labels = { stage, ok: String(reported.ok) };
    metrics.observe('request', 'Time of a request to the aggregator', clock.monotonic() - started, labels);
    return reported;
  }

  #urlFor({ path }: Ask, values: Values): URL {
    const { url, query } = this.#settings;
    const full = new URL(`${url}${pathFor(path, values)}`);
    for (const [name, value] of Object.entries(query)) full.searchParams.append(name, value);
    return full;
  }

  #judge(stage: string, ask: Ask, needs: readonly (keyof Reported)[], reported: Exchanged, breaker: Breaker): Heard {
    if (!reported.ok) {
      if (reported.is === 'stopped') {
        breaker.inconclusive();
        return this.#report(stage, 'stopped', reported.why);
      }
      if (reported.is !== 'refused')
        return this.#failed(breaker, stage, reported.is, reported.why, reported.retryAfterMs);
      this.#worked();
      this.#report(stage, 'refused', reported.why);
      return { ok: false, is: 'none', message: 'it refuses to quote this' };
    }
    const reading = readAnswer(ask.read, reported.text, needs);
    if (!reading.ok && reading.is === 'nonsense') return this.#failed(breaker, stage, 'nonsense', reading.why);
    this.#worked();
    if (reading.ok) {
      this.#count(stage, 'answered');
      return reading;
    }
    this.#report(stage, 'none', reading.why);
    return { ok: false, is: 'none', message: reading.why };
  }

  #failed(breaker: Breaker, stage: string, result: string, why: string, retryAfterMs?: number): Heard {
    const { alerts, log } = this.#services;
    breaker.failed(retryAfterMs);
    const { isOpen, failures } = breaker;
    this.#gauge();
    log.warn({ stage, failures, why }, 'the aggregator failed');
    if (isOpen) alerts.raise(ALERT, `the aggregator failed ${failures} times and is not asked for now: ${why}`);
    return this.#report(stage, result, why);
  }

  #worked(): void {
    if (this.#isOpen()) this.#services.log.info({}, 'the aggregator is back');
    this.#breakers.paid.worked();
    this.#breakers.quote.worked();
    this.#services.alerts.clear(ALERT);
    this.#gauge();
  }

  #gauge(): void {
    const help = '1 while the aggregator is left alone';
    this.#services.metrics.gauge('circuit_open', help, this.#isOpen() ? 1 : 0);
  }

  #isOpen(): boolean {
    return this.#breakers.paid.isOpen || this.#breakers.quote.isOpen;
  }

  #report(stage: string, result: string, message: string): Heard {
    this.#count(stage, result);
    return { ok: false, is: 'unavailable', message };
  }

  #count(stage: string, result: string): void {
    this.#services.metrics.count('answers', 'What came of questions to the aggregator', { stage, result });
  }
}
