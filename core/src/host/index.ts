import 'reflect-metadata';

export { type Assembly, assemble } from './assemble.js';
export { type LoadedConfig, loadConfig } from './config/load-config.js';
export { ConfigError, type ConfigProblem } from './config/problems.js';
export { type RunningService, type ServiceOverrides, startService } from './service.js';
