export { BvmAdapter, type BvmSigners } from './bvm-adapter.js';
export { NETWORKS, type Network, type NetworkName } from './network.js';
export type { BvmChainOptions, BvmOptions } from './options.js';
export { optionsSchema } from './options-schema.js';
export { plugin } from './plugin.js';
