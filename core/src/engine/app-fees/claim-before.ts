import type { LegState } from '../../contract/store-rows.js';
import { claimLegId, type FeeAccount } from '../../domain/fee-claim.js';
import type { EngineContext } from '../base/context.js';
import { MAYBE_PAID } from '../base/leg-marks.js';

/** The claim ended, and the amount that it took is known. */
const ENDED_STATES: ReadonlySet<LegState> = new Set(['done', 'void', 'closed']);

/**
 * Whether the previous claim is over, under way or held for an operator.
 *
 * Invariant (G3, G15): what a lost claim was paid is known only once the claim counted in its place is over; until
 * then the wallet may be owed less than the books say. A claim held because a lost one may still land blocks nothing:
 * the next one is paid under the same id.
 *
 * @param before number of earlier claims.
 */
export async function claimBefore(
  { store }: Pick<EngineContext, 'store'>,
  account: FeeAccount,
  before: bigint,
): Promise<'over' | 'underWay' | 'held'> {
  if (before === 0n) return 'over';
  const [leg] = await store.legs([claimLegId({ ...account, before: before - 1n })]);
  if (leg === undefined || ENDED_STATES.has(leg.state)) return 'over';
  if (leg.state !== 'held') return 'underWay';
  return leg.reason === MAYBE_PAID ? 'over' : 'held';
}
