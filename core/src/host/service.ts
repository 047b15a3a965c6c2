import type { Logger } from '../contract/observability.js';
import { initKeccak } from '../domain/keccak.js';
import { addConfiguredKeys } from './api-keys.js';
import { type Assembly, loadAssembly, registerProblem } from './assemble.js';
import { serveApi } from './compose-api.js';
import { composeDispatcher } from './compose-dispatcher.js';
import { composeRuntime, type Runtime } from './compose-engine.js';
import { serveMetrics } from './compose-metrics.js';
import { composeStatistics } from './compose-statistics.js';
import { composeStore } from './compose-store.js';
import { composeTraces } from './compose-traces.js';
import { ConfigError } from './config/problems.js';
import { durationMs } from './config/units.js';
import type { Overrides } from './container.js';
import { CORE } from './core-tokens.js';
import { StartError } from './lifecycle.js';
import { unusedOf } from './plugins/consumers.js';
import { REHEARSAL, refuseOwing } from './rehearsal/refuse-owing.js';
import { refuseStranded } from './stranded.js';
import { CORE_VERSION } from './version.js';

const WARM_UP_MS = 3_000;

const MIN_STOP_MS = 500;

export interface ServiceOverrides extends Overrides {
  /** Base of relative paths, for derived configs. */
  readonly directory?: string;
  /** Gives no new quotes. */
  readonly draining?: boolean;
}

export interface RunningService {
  /** Such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Metrics without a key; absent without `service.metricsPort`. */
  readonly metricsUrl?: string;
  /**
   * Resolves when the database lost commits under the service: it answers 503 to what needs a write, and must be
   * restarted.
   */
  readonly wentBack: Promise<void>;
  /** How much is not finished; 0: every promise so far is kept, and settled deposits are collected. */
  openWork(): Promise<number>;
  /** Longest time from a quote until nothing is filled for it any more, milliseconds. */
  readonly quoteLifeMs: number;
  /** Drains and records what is in flight. Resolves false when something did not end. */
  stop(): Promise<boolean>;
}

/**
 * @throws ConfigError, StartError, DatabaseInUseError, DatabaseWentBackError or ListenError; whatever had begun is
 * stopped again.
 */
export async function startService(configPath: string, overrides: ServiceOverrides = {}): Promise<RunningService> {
  const { directory } = overrides;
  const assembly = await loadAssembly(configPath, directory === undefined ? {} : { directory }, overrides);
  const { config } = assembly;
  await initKeccak();
  const log = assembly.container.resolve(CORE.log);
  const undo: { readonly part: string; readonly run: () => Promise<unknown> }[] = [];
  const stopMs = durationMs(config.service.stopWithin);
  const stop = async (): Promise<boolean> => {
    const deadline = performance.now() + stopMs;
    let clean = true;
    for (const { part, run } of undo.splice(0).reverse()) {
      clean = (await within(Math.max(MIN_STOP_MS, deadline - performance.now()), part, run, log)) && clean;
    }
    log.info({ clean }, 'stopped');
    return clean;
  };
  let goneBack: () => void = () => {};
  const wentBack = new Promise<void>((resolve) => {
    goneBack = resolve;
  });
  try {
    const draining = overrides.draining ?? false;
    const { runtime, url, ...others } = await startParts(
      { assembly, log, stopMs, draining, wentBack: goneBack },
      (part, run) => undo.push({ part, run }),
    );
    const validities = [...runtime.chains.values()].map(({ facts }) => facts.quoteValidityMs);
    log.info({ url, ...others, version: CORE_VERSION, network: config.service.network }, 'ready');
    let stopping: Promise<boolean> | undefined;
    return {
      url,
      ...others,
      wentBack,
      openWork: () => leftToDo(runtime.engine),
      quoteLifeMs: Math.max(0, ...validities) + assembly.policy.orderTtlMs,
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Starting {
  readonly assembly: Assembly;
  readonly log: Logger;
  readonly stopMs: number;
  readonly draining: boolean;
  readonly wentBack: () => void;
}

/** Store, plugins, engine, API: stopped in reverse order. */
async function startParts(
  { assembly, log, stopMs, draining, wentBack }: Starting,
  onStop: (part: string, run: () => Promise<unknown>) => void,
): Promise<Pick<RunningService, 'url' | 'metricsUrl'> & { readonly runtime: Runtime }> {
  const { config, container } = assembly;
  const { roles } = config.service;
  const lifecycle = container.resolve(CORE.lifecycle);
  const store = composeStore(assembly);
  await store.open();
  onStop('store', () => store.close());
  await addConfiguredKeys(config, store, container.resolve(CORE.clock));

  onStop('plugins', () => lifecycle.stop(stopMs));
  await startPlugins(assembly);

  const rehearses = config.service.mode === 'rehearsal';
  if (!rehearses) await refuseStranded(assembly, store, log);
  const runtime = composeRuntime(assembly, store, wentBack, draining);
  const { rehearsal } = runtime;
  if (rehearsal) {
    onStop('rehearsal', () => rehearsal.stop());
    await refuseOwing(assembly, runtime);
    log.warn({}, REHEARSAL);
  }
  onStop('engine', () => runtime.engine.stop());
  await runtime.engine.start({ work: roles.includes('worker') });
  const dispatcher = rehearses ? undefined : composeDispatcher(assembly, runtime);
  if (dispatcher) {
    onStop('dispatcher', () => dispatcher.stop());
    await dispatcher.start();
  }
  const statistics = rehearses ? undefined : composeStatistics(assembly, runtime);
  if (statistics) onStop('statistics', () => statistics.stop());
  const traces = rehearses ? undefined : composeTraces(assembly, runtime);
  if (traces) onStop('traces', () => traces.stop());
  await warmUp(assembly, runtime, log);
  sayUnused(assembly, log);

  const metrics = await serveMetrics(assembly, runtime);
  if (metrics) onStop('metrics', () => metrics.close());
  const served = metrics ? { metricsUrl: metrics.url } : {};
  if (!roles.includes('api')) return { url: '', runtime, ...served };
  const api = await serveApi(assembly, runtime);
  onStop('api', () => api.stop());
  return { url: api.url, runtime, ...served };
}

async function startPlugins({ config, container, plugins }: Assembly): Promise<void> {
  try {
    await container.resolve(CORE.lifecycle).start(plugins.map(({ id }) => id));
  } catch (error) {
    const owner = error instanceof StartError ? plugins.find(({ id }) => id === error.owner) : undefined;
    throw owner ? new ConfigError([registerProblem(config, owner, (error as StartError).cause)]) : error;
  }
}

/** Quotes right after the start need a fee sample; an unresponsive chain must not block the rest. */
async function warmUp({ container }: Assembly, { chains }: Runtime, log: Logger): Promise<void> {
  const clock = container.resolve(CORE.clock);
  const until = clock.monotonic() + WARM_UP_MS;
  const cold = () => [...chains.values()].filter((chain) => !chain.status().healthy);
  while (cold().length > 0 && clock.monotonic() < until) await clock.sleep(20);
  for (const chain of cold()) {
    log.warn(
      { chain: chain.facts.id, reason: chain.status().reason },
      'starting without this chain; its quotes answer 503',
    );
  }
}

/** Operators expect configured plugins to be used. */
function sayUnused(assembly: Assembly, log: Logger): void {
  for (const { owner, what, why, elsewhere } of unusedOf(assembly))
    log[elsewhere ? 'info' : 'warn']({ plugin: owner }, `plugin ${owner}: ${what} is not used: ${why}`);
}

async function within(ms: number, part: string, run: () => Promise<unknown>, log: Logger): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => {
      log.error({ part }, 'did not stop in time');
      resolve(false);
    }, ms);
  });
  const ended = run().then(
    (outcome) => outcome !== false,
    (error: unknown) => {
      log.error({ part, err: error }, 'stop failed');
      return false;
    },
  );
  const clean = await Promise.race([ended, late]);
  clearTimeout(timer);
  return clean;
}

/**
 * Race closed here: while this reads, a settled deposit goes from open work to what is to be collected, and its collect is
 * open work again. So open work is read on both sides.
 */
async function leftToDo(engine: Pick<Runtime['engine'], 'openWork' | 'uncollected'>): Promise<number> {
  const before = await engine.openWork();
  const uncollected = await engine.uncollected();
  return uncollected + Math.max(before, await engine.openWork());
}
