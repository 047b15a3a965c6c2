export type { Api, ApiDeps } from './api.js';
export { hashKey, isMistyped } from './key-format.js';
export { RETIREMENT, type RetirementOptions } from './legacy/retirement.js';
export type { MountedRoute } from './plugins/find-route.js';
export type { Rate, Rates } from './rate-limits.js';
export { createApi } from './server/create-api.js';
export { createMetricsHandler } from './server/metrics-handler.js';
