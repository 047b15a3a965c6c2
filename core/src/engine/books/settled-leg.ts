import type { BlockRef } from '../../contract/ids.js';
import type { Brought } from '../../contract/legs.js';
import type { LegRow, RequestRow } from '../../contract/store-rows.js';
import { priceExactInput } from '../../domain/fees.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { MovementFact } from '../../domain/postings.js';
import type { QuoteBody } from '../../domain/quote.js';
import { isDelivered } from '../../domain/request-status.js';
import type { EngineContext } from '../base/context.js';
import { FALLBACK } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { withheld } from './deposit-life.js';
import { moveRequest, noteTransaction } from './requests.js';
import { isAllIn, isInFill, wholeCovers } from './top-up-leg.js';

/** Smallest unit. */
interface Moved {
  readonly moved: bigint;
  /** Received amount after a transfer fee. */
  readonly arrived?: bigint;
}

export function movementOf(context: EngineContext, unit: UnitOfWork, leg: LegRow, effect: Moved): MovementFact {
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  return {
    legId: leg.id,
    requestId: leg.requestId,
    kind: leg.kind,
    chainId: leg.chainId,
    signer: leg.signer,
    currency: leg.currency,
    moved: effect.moved.toString(),
    ...(effect.arrived === undefined ? {} : { arrived: effect.arrived.toString() }),
    ...(arrivesAt(leg) === leg.signer ? {} : { to: arrivesAt(leg) }),
    withheld: withheld(context, leg, effect.moved).toString(),
    covers: leg.covers.toString(),
    originChainId: deposit?.chainId ?? leg.chainId,
    originCurrency: deposit?.currency ?? leg.currency,
    ...(factsOf(leg).delivers ? { appFees: appFeesOf(unit, leg) } : {}),
  };
}

/** Signer of the receiving lane. */
export function arrivesAt(leg: Pick<LegRow, 'kind' | 'signer' | 'recipient'>): string {
  return factsOf(leg).sentAs === 'collect' ? leg.recipient : leg.signer;
}

/** By the quote's frozen fee function. */
function appFeesOf(unit: UnitOfWork, leg: LegRow): NonNullable<MovementFact['appFees']> {
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  if (!request) throw new Error(`the request of ${leg.id} was not loaded`);
  const { terms } = JSON.parse(request.body) as QuoteBody;
  const priced = terms.appFees.length === 0 ? undefined : priceExactInput(wholeCovers(unit, leg), terms);
  if (!priced?.ok) return [];
  return terms.appFees.map(({ recipient }, n) => ({ recipient, amount: (priced.amounts.app[n] ?? 0n).toString() }));
}

interface OnChain {
  readonly hash: string;
  readonly block: BlockRef;
}

/** A collect has no request; the fill shows a top-up inside it. */
export function noteOnChain(context: EngineContext, unit: UnitOfWork, leg: LegRow, at: OnChain): void {
  const { role, paidWithFill } = factsOf(leg);
  if (leg.requestId === null || role === null) return;
  const request = paidWithFill ? unit.get('requests', leg.requestId) : undefined;
  if (request !== undefined && isInFill(request)) return;
  noteTransaction(context, unit, {
    ...placeOnChain(leg, at),
    id: `${leg.requestId}:${role}:${leg.id}`,
    role,
    status: 'success',
  });
}

export function placeOnChain(leg: LegRow, { hash, block }: OnChain) {
  return {
    requestId: leg.requestId as `0x${string}`,
    chainId: leg.chainId,
    hash,
    block: block.height,
    timestamp: Math.floor(block.timestamp / 1000),
  };
}

/** From first sight of the deposit to inclusion; null where unknown. */
export function fillTime(unit: UnitOfWork, leg: LegRow, includedAt: number): number | null {
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  return deposit ? Math.max(0, includedAt - deposit.seenAt) : null;
}

/**
 * The fill's input, or the output of its exchange. Calls of the order prevent measuring the output: then the minimum
 * that the chain enforced.
 */
export function deliveredBy(
  { body }: Pick<RequestRow, 'body'>,
  leg: Pick<LegRow, 'reason'>,
  given: bigint,
  brought: Brought | undefined,
): { readonly amountOut: string; readonly given?: string } {
  const { swapOut } = JSON.parse(body) as QuoteBody;
  if (swapOut === undefined || leg.reason === FALLBACK) return { amountOut: given.toString() };
  const amountOut = brought?.currency === swapOut.side.currency ? brought.amount.toString() : swapOut.least;
  return { amountOut, given: given.toString() };
}

/** Once all parts are final or abandoned, the request is a success. A `failure` by a reorged deposit stays. */
export function completeFill(context: EngineContext, unit: UnitOfWork, leg: LegRow): void {
  const { delivers, paidWithFill, executes } = factsOf(leg);
  if ((!delivers && !paidWithFill && !executes) || leg.requestId === null) return;
  const request = unit.get('requests', leg.requestId);
  if (request === undefined) return;
  if (executes) return completeCall(context, unit, request);
  const legs = unit.all('legs').filter((one) => one.requestId === request.id);
  const isFallback = legs.some((one) => factsOf(one).delivers && one.reason === FALLBACK);
  if (!isAllIn(legs)) {
    if (delivers && request.status === 'pending') moveRequest(context, unit, request.id, 'fillSent');
    return;
  }
  if (isFallback) {
    if (request.status === 'pending' || request.status === 'submitted')
      moveRequest(context, unit, request.id, 'fallbackDelivered');
    return;
  }
  if (delivers && request.status === 'pending') moveRequest(context, unit, request.id, 'fillSent');
  if (unit.get('requests', request.id)?.status === 'submitted') moveRequest(context, unit, request.id, 'fillIncluded');
}

function completeCall(context: EngineContext, unit: UnitOfWork, { id, status }: RequestRow): void {
  if (status === 'pending') moveRequest(context, unit, id, 'fillSent');
  if (unit.get('requests', id)?.status === 'submitted') moveRequest(context, unit, id, 'fillIncluded');
}

/** A filled order whose deposit an operator also released stays a success. */
export function completeRefund(context: EngineContext, unit: UnitOfWork, leg: LegRow): void {
  if (!factsOf(leg).replacesFill || leg.requestId === null) return;
  const request = unit.get('requests', leg.requestId);
  if (request === undefined || !isDelivered(request)) moveRequest(context, unit, leg.requestId, 'refundFinal');
}
