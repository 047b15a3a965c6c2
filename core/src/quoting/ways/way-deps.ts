import type { QuotingDeps } from '../quoting-deps.js';
import type { RouteTable } from '../route.js';

/** What the search for the best way works from. */
export type WayDeps = Pick<
  QuotingDeps,
  'engine' | 'prices' | 'policy' | 'chains' | 'clock' | 'feeInputs' | 'liquidity' | 'random'
> & {
  readonly routes: RouteTable;
};
