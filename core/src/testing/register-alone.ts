import { randomBytes } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Clock } from '../contract/clock.js';
import type { Hex } from '../contract/ids.js';
import type { LiquiditySource } from '../contract/liquidity.js';
import type { EndpointChannel, Notifier } from '../contract/notifier.js';
import type { Logger } from '../contract/observability.js';
import type { Plugin, PluginContext, Registry } from '../contract/plugin.js';
import type { PriceSource } from '../contract/prices.js';
import type { Screener } from '../contract/screening.js';
import type { RemoteSigner } from '../contract/signer.js';
import type { Store } from '../contract/store.js';
import type { Tracer } from '../contract/tracing.js';
import { realClock } from '../ports/system-clock.js';
import { secp256k1Signer } from '../signing/secp256k1.js';

export interface RegisteredAlone {
  readonly chains: readonly ChainAdapter[];
  readonly liquidity: readonly LiquiditySource[];
  readonly prices: readonly PriceSource[];
  readonly notifiers: readonly Notifier[];
  readonly screeners: readonly Screener[];
  readonly channels: readonly EndpointChannel[];
  readonly tracers: readonly Tracer[];
  readonly signers: readonly RemoteSigner[];
  readonly stores: readonly Store[];
  logged(): string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Registers one plugin as the host would, with schema validation and defaults, real time, and no metrics or alerts.
 * @param options as a config gives them.
 * @param secrets key material by reference, such as `env:TOKEN`.
 * @throws where the options do not fit the schema, and what `register` throws.
 */
export function registerAlone<Options>(
  plugin: Plugin<Options>,
  options: unknown,
  secrets: Readonly<Record<string, string>> = {},
  clock: Clock = realClock,
): RegisteredAlone {
  const lines: string[] = [];
  const starts: (() => Promise<void>)[] = [];
  const stops: (() => Promise<void>)[] = [];
  const added = {
    chains: listOf<ChainAdapter>(),
    liquidity: listOf<LiquiditySource>(),
    prices: listOf<PriceSource>(),
    notifiers: listOf<Notifier>(),
    screeners: listOf<Screener>(),
    channels: listOf<EndpointChannel>(),
    tracers: listOf<Tracer>(),
    signers: listOf<RemoteSigner>(),
    stores: listOf<Store>(),
  };
  const secret = (reference: string): string => {
    const found = secrets[reference];
    if (found === undefined) throw new Error(`the test names no secret for ${reference}`);
    return found;
  };
  const quiet = () => undefined;
  const context: PluginContext<Options> = {
    id: plugin.id,
    options: held(plugin, options),
    network: 'local',
    log: logInto(lines),
    metrics: { count: quiet, gauge: quiet, observe: quiet },
    alerts: { raise: quiet, clear: quiet, list: () => [] },
    clock,
    random: {
      bytes: (length) => new Uint8Array(randomBytes(length)),
      hex: (length): Hex => `0x${randomBytes(length).toString('hex')}`,
      fraction: () => Math.random(),
    },
    keys: { secret, secp256k1: (reference) => secp256k1Signer(bytesOf(secret(reference))) },
    configDir: process.cwd(),
    routes: { get: quiet, add: quiet, mount: () => ({ add: quiet }) },
    ...added,
    stores: { set: added.stores.add },
    privateChains: () => [],
    remoteSigner: (id) => added.signers.items.find((signer) => signer.id === id),
    lifecycle: { onStart: (task) => void starts.push(task), onStop: (task) => void stops.push(task) },
    provide: quiet,
    inject: () => {
      throw new Error('a plugin that registers alone has no other plugin to inject from');
    },
  };
  plugin.register(context);
  return {
    chains: added.chains.items,
    liquidity: added.liquidity.items,
    prices: added.prices.items,
    notifiers: added.notifiers.items,
    screeners: added.screeners.items,
    channels: added.channels.items,
    tracers: added.tracers.items,
    signers: added.signers.items,
    stores: added.stores.items,
    logged: () => lines.join('\n'),
    start: async () => {
      for (const task of starts) await task();
    },
    stop: async () => {
      for (const task of stops.reverse()) await task();
    },
  };
}

function held<Options>(plugin: Plugin<Options>, options: unknown): Options {
  const value = structuredClone(options);
  const validate = new Ajv2020({ allErrors: true, useDefaults: true, coerceTypes: true, strict: false }).compile(
    plugin.options,
  );
  if (validate(value)) return value as Options;
  const why = (validate.errors ?? []).map(({ instancePath, message }) => `options${instancePath} ${message}`);
  throw new Error(`${plugin.id}: ${why.join('; ')}`);
}

function listOf<T>(): Registry<T> & { readonly items: readonly T[] } {
  const items: T[] = [];
  return { items, add: (item) => void items.push(item) };
}

function logInto(lines: string[]): Logger {
  const write = (fields: object, message: string): void =>
    void lines.push(`${message} ${JSON.stringify(fields, (_, value: unknown) => reported(value))}`);
  const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log };
  return log;
}

function reported(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Error ? (value.stack ?? value.message) : value;
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replace(/^0x/, ''), 'hex'));
}
