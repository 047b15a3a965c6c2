import type { ChainAdapter } from './chain-adapter.js';
import type { Clock, Random } from './clock.js';
import { COPY_MARK } from './core-copy.js';
import type { TestAccounts } from './devnet.js';
import type { ChainId } from './ids.js';
import type { LiquiditySource } from './liquidity.js';
import type { EndpointChannel, Notifier } from './notifier.js';
import type { Alerts, Logger, Metrics } from './observability.js';
import type { PluginRoutes } from './plugin-routes.js';
import type { PriceSource } from './prices.js';
import type { Screener } from './screening.js';
import type { Keys, RemoteSigner } from './signer.js';
import type { Store } from './store.js';
import type { Token } from './tokens.js';
import type { Tracer } from './tracing.js';

/** JSON Schema (2020-12) of a plugin's options. Every property must have `description`, and `default` or `examples`. */
export type OptionsSchema = Readonly<Record<string, unknown>>;

export interface Registry<T> {
  /** Throws on a duplicate id, naming both owners. */
  add(item: T): void;
}

export interface Lifecycle {
  /** Runs in dependency order after every plugin has registered. Rejecting aborts the start. */
  onStart(task: () => Promise<void>): void;
  /** Runs in reverse order on stop; must resolve with all resources released. */
  onStop(task: () => Promise<void>): void;
}

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
  /** Base of relative paths in options. */
  readonly configDir: string;
  /**
   * True for `setup`, `doctor` and `keys`, which start and serve nothing: options may lack what `setUp` makes. Where
   * it is not true, a plugin refuses such options.
   */
  readonly settingUp?: boolean;
  /**
   * True where nothing is ever signed or sent (`service.mode: rehearsal`): signers have no keys and no funds, and
   * contracts may be missing.
   */
  readonly rehearsing?: boolean;
  /** Where `network` is `local`. */
  readonly testAccounts?: TestAccounts;
  readonly routes: PluginRoutes;
  readonly chains: Registry<ChainAdapter>;
  readonly liquidity: Registry<LiquiditySource>;
  readonly prices: Registry<PriceSource>;
  readonly screeners: Registry<Screener>;
  readonly notifiers: Registry<Notifier>;
  readonly channels: Registry<EndpointChannel>;
  readonly tracers: Registry<Tracer>;
  readonly signers: Registry<RemoteSigner>;
  readonly stores: { set(store: Store): void };
  /** Private chains of all plugins. Complete once every plugin has registered. */
  privateChains(): readonly ChainId[];
  /** By id; undefined: none has it. Complete once every plugin has registered. */
  remoteSigner(id: string): RemoteSigner | undefined;
  readonly lifecycle: Lifecycle;
  provide<T>(token: Token<T>, value: T): void;
  inject<T>(token: Token<T>): T;
}

export interface PluginDefinition<Options = unknown> {
  /** Package name without scope and prefix. */
  readonly id: string;
  /** Compatible core versions; checked before `register`. */
  readonly coreRange: string;
  readonly options: OptionsSchema;
  /** Ids of plugins that must register and start first. */
  readonly dependsOn?: readonly string[];
  /**
   * A new key for the option at a path, e.g. `signers.fill`, in the form that this plugin reads; undefined: it makes
   * none for that option.
   *
   * @param random 32 secret bytes, which the key is made of.
   */
  newKey?(optionPath: string, random: Uint8Array): string | undefined;
  register(context: PluginContext<Options>): void;
}

export interface Plugin<Options = unknown> extends PluginDefinition<Options> {
  readonly causewayPlugin: 1;
}

const ID = /^[a-z][a-z0-9-]*$/;

/**
 * Nothing runs until the host calls `register`, once.
 *
 * @throws when the id is not lower-case kebab case.
 */
export function definePlugin<Options>(definition: PluginDefinition<Options>): Plugin<Options> {
  if (!ID.test(definition.id)) throw new Error(`plugin id "${definition.id}" must be lower-case kebab case`);
  return Object.freeze({ ...definition, causewayPlugin: 1 as const, ...COPY_MARK });
}
