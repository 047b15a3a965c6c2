import type { LegRules } from '../base/context.js';
import { payback } from './payback.js';

/**
 * Pays back what was deposited on top of what the order asked for. The excess is owed whatever becomes of the fill beside it,
 * and the request's status does not depend on it.
 */
export const EXCESS: LegRules = {
  ...payback('excess'),
  doubt: () => 'none',
  rivals: () => [],
  askOther: async () => undefined,
  onPaidElsewhere: () => {},
};
