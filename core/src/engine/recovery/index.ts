/** Entry point of the recovery module: may a leg go out although the ledger may have lost a part of itself? */

export { DONE, DOUBTFUL, MAY_BE_FILLED, PAID_OTHERWISE, REFUNDED } from './answers.js';
// Lanes that were compared with their chains.
export { Comparisons } from './comparisons.js';
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
export { bookPaid, deliverElsewhere, isPartRefunded, isRefundedElsewhere, settlePaid } from './paid-elsewhere.js';
export { type LostProof, proveLost } from './prove-lost.js';
export { sinceOfClaim, sinceOfDrawn, sinceOfFill, sinceOfPayback } from './since.js';
export { heeding, WentBack } from './went-back.js';
