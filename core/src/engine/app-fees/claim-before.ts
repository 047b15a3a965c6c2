import type { LegState } from '../../contract/store-rows.js';
import { claimLegId, type FeeAccount } from '../../domain/fee-claim.js';
import type { EngineContext } from '../base/context.js';
import { MAYBE_PAID } from '../base/leg-marks.js';
import { loadDoubts } from '../recovery/index.js';

/** Nothing more comes of a claim, and what it took of what is owed is known. */
const OVER: ReadonlySet<LegState> = new Set(['done', 'void', 'closed']);

/**
 * Whether the claim before one keeps it from being taken.
 *
 * Invariant (G3, G15): a ledger that may have lost claims counts their numbers again, and what was paid under one is known once the
 * claim that has it now is over. Until then what is owed to the wallet may be less than the books have.
 *
 * @param before claims of the account before the one in question.
 */
export async function waitsForClaimBefore(
  context: EngineContext,
  account: FeeAccount,
  before: bigint,
): Promise<boolean> {
  if (before === 0n) return false;
  const [leg] = await context.store.legs([claimLegId({ ...account, before: before - 1n })]);
  if (leg === undefined || OVER.has(leg.state)) return false;
  if (leg.state === 'held' && leg.reason === MAYBE_PAID) return false;
  const doubts = await loadDoubts(context, [leg]);
  return doubts.about(leg, undefined, undefined) !== 'none';
}
