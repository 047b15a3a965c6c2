/**
 * The door of this room. What other rooms want to know of a ledger that may have lost a part of itself is one question: may this
 * leg go out?
 */

export { DONE, DOUBTFUL, MAY_BE_FILLED, PAID_OTHERWISE, REFUNDED } from './answers.js';
// May anything go out of a lane: it was compared with its chain.
export { Comparisons } from './comparisons.js';
// May it go out: what is known, what stands against it, what the chains say, and that it went out already.
// May it go out anew: its key was spent by something else.
export {
  countedAt,
  doubtedUntil,
  doubtOfFill,
  doubtOfRefund,
  doubtOfTopUp,
  loadDoubts,
  noteForeign,
} from './foreign-fills.js';
export { type LaneContext, LaneStarts } from './lane-starts.js';
export { matchLane, resume, waitsForOwn } from './match-lane.js';
export { type Doubted, unlessIdle, whyNot } from './may-go-out.js';
export { openLane } from './open-lanes.js';
export { fateOfRequest } from './order-fate.js';
export { bookPaid, deliverElsewhere, isPartPaidBack, isRefundedElsewhere, settlePaid } from './paid-elsewhere.js';
export { type LostProof, proveLost } from './prove-lost.js';
export { sinceOfClaim, sinceOfDrawn, sinceOfFill, sinceOfPayback } from './since.js';
export { heeding, WentBack } from './went-back.js';
