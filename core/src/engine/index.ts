export { createEngine } from './create-engine.js';
export type { Engine } from './engine.js';
