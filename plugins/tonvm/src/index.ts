export { plugin } from './plugin.js';
