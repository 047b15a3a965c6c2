export { type DashboardOptions, optionsSchema } from './options.js';
export { plugin } from './plugin.js';
