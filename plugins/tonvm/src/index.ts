export { NATIVE, parseAddress } from './addresses.js';
