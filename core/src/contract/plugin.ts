import type { ChainAdapter } from './chain-adapter.js';
import type { Clock, Random } from './clock.js';
import { COPY_MARK } from './core-copy.js';
import type { ChainId } from './ids.js';
import type { LiquiditySource } from './liquidity.js';
import type { EndpointChannel, Notifier } from './notifier.js';
import type { Alerts, Logger, Metrics } from './observability.js';
import type { PriceSource } from './prices.js';
import type { Screener } from './screening.js';
import type { Keys } from './signer.js';
import type { FeeSponsor } from './sponsors.js';
import type { Store } from './store.js';
import type { Token } from './tokens.js';

/**
 * JSON Schema (2020-12) of a plugin's options. Every property carries `description`, without which the plugin is refused, and
 * `default` or `examples`.
 */
export type OptionsSchema = Readonly<Record<string, unknown>>;

export interface Registry<T> {
  /** Throws when the id is taken, naming both owners. */
  add(item: T): void;
}

export interface Lifecycle {
  /** Runs in dependency order after every plugin has registered. Rejecting aborts the start. */
  onStart(task: () => Promise<void>): void;
  /** Runs in reverse order on stop; everything it owns must be released when it resolves. */
  onStop(task: () => Promise<void>): void;
}

/** Minimal request handler for routes that a plugin mounts under `/plugins/<id>`. */
export interface PluginRoutes {
  get(path: string, handler: (query: URLSearchParams) => Promise<unknown>): void;
}

/** What `register` gets: services already labelled with the plugin's id, and the host's registries. */
export interface PluginContext<Options> {
  /** `as` from the config, else the plugin's id. */
  readonly id: string;
  /** Validated, with defaults filled in, deeply frozen. */
  readonly options: Options;
  readonly network: 'mainnet' | 'testnet' | 'local';
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: Keys;
  /** Folder of the config file; relative paths in options are relative to it. */
  readonly configDir: string;
  readonly routes: PluginRoutes;
  readonly chains: Registry<ChainAdapter>;
  readonly liquidity: Registry<LiquiditySource>;
  readonly prices: Registry<PriceSource>;
  readonly sponsors: Registry<FeeSponsor>;
  readonly screeners: Registry<Screener>;
  readonly notifiers: Registry<Notifier>;
  readonly channels: Registry<EndpointChannel>;
  readonly stores: { set(store: Store): void };
  /** Ids of the chains that are marked private, of all plugins. Complete once every plugin has registered. */
  privateChains(): readonly ChainId[];
  readonly lifecycle: Lifecycle;
  /** Publishes a service for other plugins under a typed token. */
  provide<T>(token: Token<T>, value: T): void;
  /** Takes a service that a plugin listed in `dependsOn` provided. */
  inject<T>(token: Token<T>): T;
}

export interface PluginDefinition<Options = unknown> {
  /** Package name without scope and prefix. */
  readonly id: string;
  /** Range of core versions this plugin works with; checked before `register`. */
  readonly coreRange: string;
  readonly options: OptionsSchema;
  /** Ids of plugins that must register and start first. */
  readonly dependsOn?: readonly string[];
  register(context: PluginContext<Options>): void;
}

export interface Plugin<Options = unknown> extends PluginDefinition<Options> {
  readonly causewayPlugin: 1;
}

const ID = /^[a-z][a-z0-9-]*$/;

/**
 * Makes the one constant a plugin package exports as `plugin`. Nothing runs until the host calls `register`, once.
 *
 * @throws when the id is not lower-case kebab case.
 */
export function definePlugin<Options>(definition: PluginDefinition<Options>): Plugin<Options> {
  if (!ID.test(definition.id)) throw new Error(`plugin id "${definition.id}" must be lower-case kebab case`);
  return Object.freeze({ ...definition, causewayPlugin: 1 as const, ...COPY_MARK });
}
