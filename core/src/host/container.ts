import 'reflect-metadata';
import { container, type DependencyContainer, instanceCachingFactory } from 'tsyringe';
import type { Clock, Random } from '../contract/clock.js';
import { AlertBoard } from '../observability/alerts.js';
import { createLogger } from '../observability/logger.js';
import { MetricsHub } from '../observability/metrics.js';
import { systemClock } from '../ports/system-clock.js';
import type { LoadedConfig } from './config/load-config.js';
import { CORE } from './core-tokens.js';
import { crashPoints } from './crash-points.js';
import { LifecycleRunner } from './lifecycle.js';
import { registries } from './plugins/registries-of-application.js';
import { PluginServices } from './plugins/services.js';
import { UNSENDING } from './rehearsal/unsending-ports.js';
import { systemRandom } from './system-random.js';

export interface Overrides {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly writeLog?: (line: string) => void;
  /** Plugins may lack what `setUp` makes: nothing is started. */
  readonly settingUp?: boolean;
  /** Memory and event loop; at most one application per process. */
  readonly processMetrics?: boolean;
}

/**
 * Core's composition root: one child container per application. Services are factories under explicit tokens; nothing
 * is decorated or resolved by type.
 */
export function createContainer(config: LoadedConfig, overrides: Overrides): DependencyContainer {
  const child = container.createChildContainer();
  const single = <T>(token: Parameters<typeof child.register<T>>[0], make: (c: DependencyContainer) => T) =>
    child.register<T>(token, { useFactory: instanceCachingFactory<T>(make) });

  single(CORE.config, () => config);
  single(CORE.clock, () => overrides.clock ?? systemClock);
  single(CORE.random, () => overrides.random ?? systemRandom);
  single(CORE.log, () =>
    createLogger({
      level: config.service.logging.level,
      redactor: config.redactor,
      ...(overrides.writeLog ? { write: overrides.writeLog } : {}),
    }),
  );
  single(CORE.metrics, () => new MetricsHub({ process: overrides.processMetrics ?? false }));
  single(
    CORE.alerts,
    (c) =>
      new AlertBoard({
        clock: c.resolve(CORE.clock),
        log: c.resolve(CORE.log),
        metrics: c.resolve(CORE.metrics).view('core'),
      }),
  );
  single(CORE.lifecycle, (c) => new LifecycleRunner({ clock: c.resolve(CORE.clock), log: c.resolve(CORE.log) }));
  single(CORE.instrument, (c) =>
    config.service.mode === 'rehearsal'
      ? UNSENDING
      : crashPoints(
          { at: process.env['CAUSEWAY_CRASH_AT'], log: process.env['CAUSEWAY_CRASH_LOG'] },
          config.service.network,
          c.resolve(CORE.log),
        ),
  );
  single(CORE.registries, (c) => registries(c.resolve(CORE.instrument)));
  single(CORE.services, (c) => new PluginServices(c));
  return child;
}
