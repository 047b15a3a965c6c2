export type { SignerWeb3Options } from './options.js';
export { optionsSchema } from './options-schema.js';
export { plugin } from './plugin.js';
