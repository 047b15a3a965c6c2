import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Labels, Metrics } from '../contract/observability.js';

const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Unit endings that callers may have added. */
const ENDING = /_(?:ms|milliseconds|seconds|total)$/;

type Instrument = Counter | Gauge | Histogram;

/** Metrics are named `causeway_<owner>_…`; durations end in `_seconds`, counters in `_total`. */
export class MetricsHub {
  readonly #registry = new Registry();
  readonly #instruments = new Map<string, Instrument>();

  constructor(options: { readonly process: boolean }) {
    if (options.process) collectDefaultMetrics({ register: this.#registry, prefix: 'causeway_' });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Prometheus exposition format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  view(owner: string): Metrics {
    const prefix = `causeway_${owner}_`.replace(/[^a-zA-Z0-9_]/g, '_');
    // Instruments by name, cached: every request counts several.
    const counters = new Map<string, Counter>();
    const histograms = new Map<string, Histogram>();
    return {
      count: (name, help, labels = {}, by = 1) => {
        const counter = counters.get(name) ?? this.#get(Counter, ended(prefix + name, 'total'), help, labels, {});
        counters.set(name, counter);
        counter.inc({ ...labels }, by);
      },
      gauge: (name, help, value, labels = {}) =>
        this.#get(Gauge, prefix + name, help, labels, {}).set({ ...labels }, value),
      observe: (name, help, ms, labels = {}) => {
        const histogram =
          histograms.get(name) ??
          this.#get(Histogram, ended(prefix + name, 'seconds'), help, labels, { buckets: DURATION_BUCKETS_S });
        histograms.set(name, histogram);
        histogram.observe({ ...labels }, ms / 1_000);
      },
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

function ended(name: string, ending: 'seconds' | 'total'): string {
  return `${name.replace(ENDING, '')}_${ending}`;
}
