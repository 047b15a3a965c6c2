import './pure-bigint.js';

export type { SvmChainOptions, SvmOptions } from './options.js';
export { optionsSchema } from './options-schema.js';
export { plugin } from './plugin.js';
export { SvmAdapter, type SvmServices, type SvmSigners } from './svm-adapter.js';
