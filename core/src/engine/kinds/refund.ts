import { topUpId } from '../../domain/top-up.js';
import type { LegRules } from '../base/context.js';
import { completeJoined } from '../books/joined-legs.js';
import { completeRefund } from '../books/settled-leg.js';
import { noteSwappedBack } from '../books/swap-back.js';
import { DOUBTFUL, doubtOfRefund, fateOfRequest, MAY_BE_FILLED } from '../recovery/index.js';
import { payback } from './payback.js';

export const REFUND: LegRules = {
  ...payback('refund'),
  doubt: doubtOfRefund,
  rivals: ({ orderId }) => (orderId === null ? [] : [orderId, /* guard: refund-includes-top-up */ topUpId(orderId)]),
  /** Only where neither the order nor its top-up was or ever can be filled. */
  askOther: async (context, _leg, request) => {
    const fate = request ? await fateOfRequest(context, request) : 'unfilled';
    if (fate === 'unfilled') return undefined;
    return fate === 'filled' ? DOUBTFUL : MAY_BE_FILLED;
  },
  onPaidElsewhere: (context, unit, leg, { brought }) => {
    noteSwappedBack(unit, leg, brought ?? null);
    completeRefund(context, unit, leg);
    completeJoined(context, unit, leg);
  },
};
