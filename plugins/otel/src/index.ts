export type { OtelOptions } from './options.js';
export { optionsSchema } from './options.js';
export { plugin } from './plugin.js';
