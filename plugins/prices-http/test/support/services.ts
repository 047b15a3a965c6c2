import type { Alerts, Clock, Currency, Logger, Metrics, PluginContext, PriceSource, Random } from '@causeway/core';
import { realClock } from '@causeway/core/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type PricesHttpOptions, plugin } from '../../src/index.js';

export const clock: Clock = realClock;

export function currency(group: string, address = `0x${group}`): Currency {
  return { chainId: 1, address, symbol: group, name: group, decimals: 18, isNative: false, group, verified: true };
}

const ajv = new Ajv2020({ allErrors: true, useDefaults: true, coerceTypes: true, strict: false });
const validate = ajv.compile<PricesHttpOptions>(plugin.options);

export function filled(options: object): PricesHttpOptions {
  const copy: unknown = structuredClone(options);
  if (!validate(copy)) throw new Error(ajv.errorsText(validate.errors));
  return copy;
}

export interface Registered {
  readonly source: PriceSource;
  readonly alerts: Map<string, string>;
  readonly lines: string[];
  readonly counts: Map<string, number>;
  readonly gauges: Map<string, number>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function register(options: object, secrets: Readonly<Record<string, string>> = {}): Registered {
  const [sources, starts, stops]: [PriceSource[], (() => Promise<void>)[], (() => Promise<void>)[]] = [[], [], []];
  const raised = new Map<string, string>();
  const [counts, gauges] = [new Map<string, number>(), new Map<string, number>()];
  const lines: string[] = [];
  const key = (name: string, labels: object = {}) => `${name} ${Object.values(labels).join(' ')}`;
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
  const random: Random = { bytes: (n) => new Uint8Array(n), hex: () => '0x', fraction: () => 0.5 };
  const context = {
    id: 'prices-http',
    options: filled(options),
    clock,
    random,
    log,
    metrics,
    alerts,
    keys: {
      secret: (reference: string) => {
        const secret = secrets[reference];
        if (secret === undefined) throw new Error(`${reference} is not set`);
        return secret;
      },
    },
    prices: { add: (source: PriceSource) => void sources.push(source) },
    lifecycle: {
      onStart: (task: () => Promise<void>) => void starts.push(task),
      onStop: (task: () => Promise<void>) => void stops.push(task),
    },
  };
  plugin.register(context as unknown as PluginContext<PricesHttpOptions>);
  const [source] = sources;
  if (source === undefined) throw new Error('no source was added');
  const all = async (tasks: readonly (() => Promise<void>)[]) => void (await Promise.all(tasks.map((task) => task())));
  return { source, alerts: raised, lines, counts, gauges, start: () => all(starts), stop: () => all(stops) };
}

export async function until(what: string, good: () => boolean, ms = 5_000): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; await clock.sleep(5)) if (good()) return;
  throw new Error(`timed out waiting for ${what}`);
}
