import type { LegRules } from '../base/context.js';
import { completeJoined } from '../books/joined-legs.js';
import { payback } from './payback.js';

/** What was deposited beyond the order's amount, owed whatever happens to the fill. */
export const EXCESS: LegRules = {
  ...payback('excess'),
  doubt: () => 'none',
  rivals: () => [],
  askOther: async () => undefined,
  onPaidElsewhere: completeJoined,
};
