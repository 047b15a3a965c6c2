import type { QuotingDeps } from '../quoting-deps.js';
import type { RouteTable } from '../route.js';

export type WayDeps = Pick<
  QuotingDeps,
  'engine' | 'prices' | 'policy' | 'chains' | 'clock' | 'feeInputs' | 'liquidity' | 'random'
> & {
  readonly routes: RouteTable;
};
