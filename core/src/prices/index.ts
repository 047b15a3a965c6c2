export { type Agreement, agree, type Reported } from './agree.js';
export { type BoardServices, PriceBoard } from './price-board.js';
export { readPrice } from './price-text.js';
export { assertNoCircle, type PricedAsset, type PriceRules } from './rules.js';
export type { PriceAnswer } from './word.js';
