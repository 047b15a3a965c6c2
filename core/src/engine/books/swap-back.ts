import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { SwapIn } from '../../domain/swap-in.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import type { EngineContext } from '../base/context.js';
import { isReleased } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';

/** A refund paid as deposited because it cannot be swapped back. */
export const AS_DEPOSITED = 'REVERSE_SWAP_FAILED' satisfies FailReason;

export interface SwapBack {
  readonly swapIn: SwapIn;
  readonly slippageBps: number;
  /** In the chain's unit (`SwapQuote.work`). */
  readonly work: bigint;
}

/**
 * Undefined if the refund is paid as deposited: the payer deposited that currency, the swap failed once on chain, or an
 * operator decides.
 */
export function swapBack(
  leg: LegRow,
  request: Pick<RequestRow, 'body'> | undefined,
  deposit: Pick<DepositRow, 'chainId' | 'currency' | 'paidWith'> | undefined,
): SwapBack | undefined {
  if (!factsOf(leg).replacesFill || leg.reason === AS_DEPOSITED || isReleased(leg)) return undefined;
  // guard: swap-back-once
  if (leg.reverts > 0 || leg.closings > 0 || leg.spent > 0n) return undefined;
  if (request === undefined || deposit === undefined || deposit.paidWith === null) return undefined;
  const { swapIn, origin, refundRecipient, slippageBps } = JSON.parse(request.body) as QuoteBody;
  if (swapIn === undefined || leg.recipient !== refundRecipient) return undefined;
  if (deposit.chainId !== origin.chainId || deposit.currency !== origin.currency) return undefined;
  const paid = JSON.parse(deposit.paidWith) as { readonly currency: string };
  if (paid.currency !== swapIn.side.currency) return undefined;
  return { swapIn, slippageBps, work: BigInt(swapIn.work) };
}

export function payAsDeposited(
  { chains, clock }: EngineContext,
  unit: UnitOfWork,
  leg: LegRow,
  { swapIn }: SwapBack,
  why: string,
): void {
  unit.update('legs', leg.id, { reason: AS_DEPOSITED, dueAt: clock.now() });
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  if (request === undefined) return;
  const listed = chains.get(leg.chainId)?.currency(swapIn.side.currency) !== undefined;
  const because = request.failReason === null ? '' : `; refunded because of ${request.failReason}`;
  unit.update('requests', request.id, {
    failReason: AS_DEPOSITED,
    details: `not swapped back: ${why}${because}`.slice(0, 500),
    ...(listed ? {} : { refundFailReason: 'SWAP_CURRENCY_NOT_ON_ORIGIN' }),
  });
}

/** Records what the refund delivered. @param brought null: not swapped back, which removes an earlier record. */
export function noteSwappedBack(
  unit: UnitOfWork,
  { requestId }: LegRow,
  brought: { readonly currency: string; readonly amount: bigint } | null,
): void {
  const request = requestId === null ? undefined : unit.get('requests', requestId);
  if (request === undefined) return;
  const { back, ...actual } = JSON.parse(request.actual ?? '{}') as Record<string, unknown>;
  if (brought === null && back === undefined) return;
  const shown = brought === null ? {} : { back: { ...brought, amount: brought.amount.toString() } };
  unit.update('requests', request.id, { actual: JSON.stringify({ ...actual, ...shown }) });
}
