import type { InjectionToken } from 'tsyringe';
import type { Clock, Random } from '../contract/clock.js';
import type { Logger } from '../contract/observability.js';
import type { AlertBoard } from '../observability/alerts.js';
import type { MetricsHub } from '../observability/metrics.js';
import type { LoadedConfig } from './config/load-config.js';
import type { Instrument } from './crash-points.js';
import type { LifecycleRunner } from './lifecycle.js';
import type { Registries } from './plugins/registries-of-application.js';
import type { PluginServices } from './plugins/services.js';

const named = <T>(name: string): InjectionToken<T> => Symbol.for(`causeway:core.${name}`);

export const CORE = {
  config: named<LoadedConfig>('config'),
  clock: named<Clock>('clock'),
  random: named<Random>('random'),
  log: named<Logger>('log'),
  metrics: named<MetricsHub>('metrics'),
  alerts: named<AlertBoard>('alerts'),
  lifecycle: named<LifecycleRunner>('lifecycle'),
  instrument: named<Instrument>('instrument'),
  registries: named<Registries>('registries'),
  services: named<PluginServices>('services'),
} as const;
