import type { Plugin } from '../../contract/plugin.js';
import { staticPrices } from './static-prices.js';

export const BUILTINS: ReadonlyMap<string, Plugin<never>> = new Map([[staticPrices.id, staticPrices as Plugin<never>]]);
