import type { LegState } from '../../contract/store-rows.js';
import { claimLegId, type FeeAccount } from '../../domain/fee-claim.js';
import type { EngineContext } from '../base/context.js';
import { MAYBE_PAID } from '../base/leg-marks.js';

/** Nothing more comes of a claim, and what it took of what is owed is known. */
const OVER: ReadonlySet<LegState> = new Set(['done', 'void', 'closed']);

/**
 * Whether the claim before one keeps it from being taken: it is under way, or held for an operator.
 *
 * Invariant (G3, G15): a ledger that lost claims does not always know that it did, and what the lost one was paid is known once the
 * claim that is counted in its place is over. Until then what is owed to the wallet may be less than the books have. One that is
 * held because a lost one may still land is in the way of none: the next one is paid under the same id.
 *
 * @param before claims of the account before the one in question.
 */
export async function claimBefore(
  { store }: Pick<EngineContext, 'store'>,
  account: FeeAccount,
  before: bigint,
): Promise<'over' | 'underWay' | 'held'> {
  if (before === 0n) return 'over';
  const [leg] = await store.legs([claimLegId({ ...account, before: before - 1n })]);
  if (leg === undefined || OVER.has(leg.state)) return 'over';
  if (leg.state !== 'held') return 'underWay';
  return leg.reason === MAYBE_PAID ? 'over' : 'held';
}
