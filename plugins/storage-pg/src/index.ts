export type { PgOptions } from './options.js';
export { optionsSchema } from './options-schema.js';
export { type PgStoreDeps, pgStore } from './pg-store.js';
export { plugin } from './plugin.js';
