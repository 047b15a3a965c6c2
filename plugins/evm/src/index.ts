export { EvmAdapter, type EvmServices, type EvmSigners } from './evm-adapter.js';
export type { EvmChainOptions, EvmOptions } from './options.js';
export { optionsSchema } from './options-schema.js';
export { plugin } from './plugin.js';
