import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Labels, Metrics } from '../contract/observability.js';

const DURATION_BUCKETS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000];

type Instrument = Counter | Gauge | Histogram;

/** All metrics of one application. Every owner gets a view that prefixes its names with `causeway_<owner>_`. */
export class MetricsHub {
  readonly #registry = new Registry();
  readonly #instruments = new Map<string, Instrument>();

  constructor(options: { readonly process: boolean }) {
    if (options.process) collectDefaultMetrics({ register: this.#registry, prefix: 'causeway_' });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Text in the Prometheus exposition format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  view(owner: string): Metrics {
    const prefix = `causeway_${owner}_`.replace(/[^a-zA-Z0-9_]/g, '_');
    return {
      count: (name, help, labels = {}, by = 1) =>
        this.#get(Counter, prefix + name, help, labels, {}).inc({ ...labels }, by),
      gauge: (name, help, value, labels = {}) =>
        this.#get(Gauge, prefix + name, help, labels, {}).set({ ...labels }, value),
      observe: (name, help, ms, labels = {}) =>
        this.#get(Histogram, `${prefix + name}_ms`, help, labels, { buckets: DURATION_BUCKETS_MS }).observe(
          { ...labels },
          ms,
        ),
    };
  }

  #get<T extends Instrument>(
    kind: new (settings: {
      name: string;
      help: string;
      labelNames: string[];
      registers: Registry[];
      buckets?: number[];
    }) => T,
    name: string,
    help: string,
    labels: Labels,
    extra: { buckets?: number[] },
  ): T {
    const known = this.#instruments.get(name);
    if (known instanceof kind) return known;
    if (known) throw new Error(`metric ${name} is used as two different kinds`);
    const made = new kind({ name, help, labelNames: Object.keys(labels), registers: [this.#registry], ...extra });
    this.#instruments.set(name, made);
    return made;
  }
}
