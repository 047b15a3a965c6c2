import type { Alerts, Clock, LiquiditySource, Logger, Metrics, PluginContext } from '@causeway/core';
import { realClock } from '@causeway/core/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { plugin, type SwapsHttpOptions } from '../../src/index.js';

export const clock: Clock = realClock;

const ajv = new Ajv2020({ allErrors: true, useDefaults: true, coerceTypes: true, strict: false });
const validate = ajv.compile<SwapsHttpOptions>(plugin.options);

export function filled(options: object): SwapsHttpOptions {
  const copy: unknown = structuredClone(options);
  if (!validate(copy)) throw new Error(ajv.errorsText(validate.errors));
  return copy;
}

export interface Registered {
  readonly source: LiquiditySource;
  readonly alerts: Map<string, string>;
  readonly lines: string[];
  readonly counts: Map<string, number>;
  readonly gauges: Map<string, number>;
  stop(): Promise<void>;
}

interface Host {
  readonly id?: string;
  readonly network?: 'mainnet' | 'local';
  readonly secrets?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

export function register(options: object, host: Host = {}): Registered {
  const [sources, stops]: [LiquiditySource[], (() => Promise<void>)[]] = [[], []];
  const raised = new Map<string, string>();
  const [counts, gauges] = [new Map<string, number>(), new Map<string, number>()];
  const lines: string[] = [];
  const key = (name: string, labels: object = {}) => [name, ...Object.values(labels)].join(' ');
  const write = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log };
  const alerts: Alerts = {
    raise: (id, message) => void raised.set(id, message),
    clear: (id) => void raised.delete(id),
    list: () => [],
  };
  const metrics: Metrics = {
    count: (name, _help, labels, by = 1) =>
      void counts.set(key(name, labels), (counts.get(key(name, labels)) ?? 0) + by),
    gauge: (name, _help, value, labels) => void gauges.set(key(name, labels), value),
    observe: () => undefined,
  };
  const context = {
    ...{ id: host.id ?? 'swaps-http', options: filled(options), network: host.network ?? 'local' },
    ...{ clock: host.clock ?? clock, log, metrics, alerts },
    keys: {
      secret: (reference: string) => {
        const secret = host.secrets?.[reference];
        if (secret === undefined) throw new Error(`${reference} is not set`);
        return secret;
      },
    },
    liquidity: { add: (source: LiquiditySource) => void sources.push(source) },
    lifecycle: { onStart: () => undefined, onStop: (task: () => Promise<void>) => void stops.push(task) },
  };
  plugin.register(context as unknown as PluginContext<SwapsHttpOptions>);
  const [source] = sources;
  if (source === undefined) throw new Error('no source was added');
  const stop = async () => void (await Promise.all(stops.map((task) => task())));
  return { source, alerts: raised, lines, counts, gauges, stop };
}

export async function until(what: string, good: () => boolean, ms = 5_000): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; await clock.sleep(5)) if (good()) return;
  throw new Error(`timed out waiting for ${what}`);
}
