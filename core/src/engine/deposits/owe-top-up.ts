import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import type { QuoteBody } from '../../domain/quote.js';
import { topUpId } from '../../domain/top-up.js';
import type { EngineContext } from '../base/context.js';
import { laneFor } from '../base/lanes.js';
import { FRESH, lastingReason } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { revive } from '../books/deposit-life.js';
import { topUpOf } from '../books/top-up-leg.js';

export type TopUpLeg = Pick<LegRow, 'chainId' | 'signer' | 'currency' | 'amount' | 'covers'>;

/** Interval for checking the fill; its inclusion wakes the top-up earlier. */
const POLL_INTERVAL_MS = 5_000;

/** Undefined where a quote has no top-up, or it is already out. */
export function newTopUp(
  context: EngineContext,
  unit: UnitOfWork,
  quote: QuoteBody,
  covers: bigint,
): TopUpLeg | undefined {
  const { topUp, destination } = quote;
  if (topUp === undefined || /* guard: topup-not-owed-twice */ isOut(topUpOf(unit, quote))) return undefined;
  const { chainId } = destination;
  const signer = laneFor(context, chainId, 'fill');
  return { chainId, signer, currency: topUp.currency, amount: BigInt(topUp.amount), covers };
}

/** A top-up that is out keeps the part for which it was signed. */
export function coversTopUp(unit: UnitOfWork, quote: QuoteBody, covers: bigint): bigint {
  const known = topUpOf(unit, quote);
  return isOut(known) ? known.covers : covers;
}

function isOut(leg: LegRow | undefined): leg is LegRow {
  return leg?.state === 'bound' || leg?.state === 'done' || leg?.state === 'held';
}

/** Invariant (G1): one id per order for ever; an earlier unpaid leg is the same leg. */
export function owesTopUp(
  context: EngineContext,
  unit: UnitOfWork,
  deposit: DepositRow,
  quote: QuoteBody,
  extra: TopUpLeg,
  isClaimed: boolean,
): void {
  const id = legId.topUp(quote.orderId);
  const now = context.clock.now();
  const earlier = unit.get('legs', id);
  const doubted = earlier ? lastingReason(earlier) : null;
  const terms = {
    ...extra,
    fundingKey: deposit.fundingKey,
    state: isClaimed ? 'owed' : 'short',
    reason: doubted ?? (isClaimed ? null : 'SOLVER_BALANCE_TOO_LOW'),
    dueAt: now + POLL_INTERVAL_MS,
    key: null,
    includedAt: null,
    ...FRESH,
    joined: null,
  } as const;
  if (earlier) {
    unit.update('legs', id, terms);
    return;
  }
  unit.insert('legs', {
    ...terms,
    id,
    version: 1,
    requestId: deposit.requestId,
    kind: 'topUp',
    recipient: quote.recipient,
    orderId: topUpId(quote.orderId),
    // The fill may land at the last moment; a top-up after it gets another order lifetime.
    deadlineAt: quote.deadlineAt + (quote.topUp?.inFill ? 0 : context.policy.orderTtlMs),
    claimedAt: null,
    work: quote.topUp?.work === undefined ? null : BigInt(quote.topUp.work),
    spent: 0n,
    createdAt: now,
  });
}

export function moveTopUp(context: EngineContext, unit: UnitOfWork, quote: QuoteBody, deposit: DepositRow): void {
  const extra = topUpOf(unit, quote);
  if (extra === undefined) return;
  unit.update('legs', extra.id, { fundingKey: deposit.fundingKey });
  if (extra.state === 'suspended') revive(context, unit, extra, deposit);
}
