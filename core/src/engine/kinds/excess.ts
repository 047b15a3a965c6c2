import type { LegRules } from '../base/context.js';
import { payback } from './payback.js';

/**
 * Pays back what was deposited on top of what the order asked for, beside its fill: whatever became of that, it is owed, and the
 * request stays as it is.
 */
export const EXCESS: LegRules = {
  ...payback('excess'),
  doubt: () => 'none',
  rivalOrder: () => undefined,
  askOther: async () => undefined,
  onPaidElsewhere: () => {},
};
