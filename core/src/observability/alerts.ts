import type { Clock } from '../contract/clock.js';
import type { Alerts, Logger, Metrics } from '../contract/observability.js';

interface Raised {
  readonly id: string;
  readonly message: string;
  readonly since: number;
}

/** Conditions for operators: logged when they begin and end, counted in a gauge, listed while they last. */
export class AlertBoard {
  readonly #raised = new Map<string, Raised>();
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: Metrics;

  constructor(deps: { readonly clock: Clock; readonly log: Logger; readonly metrics: Metrics }) {
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#metrics = deps.metrics;
    this.#count();
  }

  list(): readonly Raised[] {
    return [...this.#raised.values()].sort((a, b) => a.since - b.since);
  }

  /** Ids are prefixed with the owner, so that plugins cannot clear each other's alerts. */
  view(owner: string): Alerts {
    const scoped = (id: string) => `${owner}.${id}`;
    return {
      raise: (id, message, fields) => this.#raise(scoped(id), message, fields ?? {}),
      clear: (id) => this.#clear(scoped(id)),
      list: () => this.list(),
    };
  }

  #raise(id: string, message: string, fields: object): void {
    const known = this.#raised.get(id);
    if (known?.message === message) return;
    this.#raised.set(id, { id, message, since: known?.since ?? this.#clock.now() });
    if (known) return;
    this.#log.warn({ ...fields, alert: id }, `alert: ${message}`);
    this.#count();
  }

  #clear(id: string): void {
    if (!this.#raised.delete(id)) return;
    this.#log.info({ alert: id }, 'alert is over');
    this.#count();
  }

  #count(): void {
    this.#metrics.gauge('alerts', 'Alerts that are raised now', this.#raised.size);
  }
}
