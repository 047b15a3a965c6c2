export { EvmAdapter, type EvmServices } from './evm-adapter.js';
export type { EvmSigners } from './evm-signers.js';
export type { EvmChainOptions, EvmOptions } from './options.js';
export { optionsSchema } from './options-schema.js';
export { plugin } from './plugin.js';
