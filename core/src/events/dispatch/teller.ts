import type { Clock, Random } from '../../contract/clock.js';
import type { EndpointRow } from '../../contract/delivery-rows.js';
import type { EndpointChannel, Notifier, NotifierOutcome, OutboxEvent } from '../../contract/notifier.js';
import type { Logger } from '../../contract/observability.js';
import type { FeedRow } from '../../contract/store.js';
import { OpenedEndpoints } from '../endpoints/opened.js';
import { SealError, type Sealer } from '../endpoints/sealer.js';
import type { Outcome } from './plan-turn.js';
import { pauseAfter } from './schedule.js';

export interface TellerDeps {
  readonly notifiers: ReadonlyMap<string, Notifier>;
  readonly channels: ReadonlyMap<string, EndpointChannel>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** One attempt to deliver an event to an endpoint. Never rejects: failures are outcomes. */
export class Teller {
  readonly #deps: TellerDeps;
  readonly #opened: OpenedEndpoints;

  constructor(deps: TellerDeps) {
    this.#deps = deps;
    this.#opened = new OpenedEndpoints(deps.sealer);
  }

  serves({ integratorId, channel }: EndpointRow): boolean {
    const { channels, notifiers } = this.#deps;
    return integratorId === null ? notifiers.has(channel) : channels.has(channel);
  }

  forget(endpointId: string): void {
    this.#opened.forget(endpointId);
  }

  /** @param attempt from 1; the pause after a failure grows with it. */
  async report(endpoint: EndpointRow, attempt: number, row: FeedRow): Promise<Outcome> {
    const { clock, log, random } = this.#deps;
    const later = (why: string, afterMs = 0): Outcome => ({
      kind: 'retry',
      dueAt: clock.now() + Math.max(afterMs, pauseAfter(attempt, random.fraction())),
      why,
    });
    try {
      const reported = await this.#deliver(endpoint, row);
      const answer = reported.answer === undefined ? {} : { answer: reported.answer };
      if (reported.outcome === 'delivered') return { kind: 'delivered', ...answer };
      if (reported.outcome === 'gone') return { kind: 'gone', why: reported.why, ...answer };
      return { ...later(reported.why, reported.afterMs), ...answer };
    } catch (error) {
      const facts = { endpoint: endpoint.id, channel: endpoint.channel, event: row.id, err: error };
      if (error instanceof SealError) {
        log.error(facts, 'the secrets of an endpoint cannot be read');
        return later(`what it signs with cannot be read: ${error.message}`);
      }
      log.error(facts, 'a notifier threw, which is a bug in it');
      return later('the notifier threw');
    }
  }

  async #deliver(endpoint: EndpointRow, row: FeedRow): Promise<NotifierOutcome> {
    const { channels, clock, notifiers } = this.#deps;
    const { integratorId, channel } = endpoint;
    const gone: NotifierOutcome = { outcome: 'retry', afterMs: 0, why: 'its notifier is not there any more' };
    if (integratorId === null) return (await notifiers.get(channel)?.deliver(eventOf(row))) ?? gone;
    const opened = this.#opened.of(endpoint, clock.now());
    return (await channels.get(channel)?.deliver(eventOf(row), opened)) ?? gone;
  }
}

function eventOf({ position, id, requestId, sequence, payload, createdAt }: FeedRow): OutboxEvent {
  return {
    ...{ position, id, requestId, sequence, createdAt, kind: 'request.status.updated' },
    payload: JSON.parse(payload) as unknown,
  };
}
