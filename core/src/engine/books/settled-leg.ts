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
import { isAllIn, isInFill, wholeCovers } from './beside.js';
import { withheld } from './deposit-life.js';
import { moveRequest, noteTransaction } from './requests.js';

/** What a leg moved on its chain, by whatever transaction; smallest unit. */
interface Moved {
  readonly moved: bigint;
  /** What came out of it where that is less, as of a token that keeps a part. */
  readonly arrived?: bigint;
}

/** What is posted of a leg that its chain did. */
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

/** Signer of the lane that what a leg brings the solver comes to. */
export function arrivesAt(leg: Pick<LegRow, 'kind' | 'signer' | 'recipient'>): string {
  return factsOf(leg).sentAs === 'collect' ? leg.recipient : leg.signer;
}

/** App fees out of the deposit that a fill settles, by the fee function that the quote froze. */
function appFeesOf(unit: UnitOfWork, leg: LegRow): NonNullable<MovementFact['appFees']> {
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  if (!request) throw new Error(`the request of ${leg.id} was not loaded`);
  const { terms } = JSON.parse(request.body) as QuoteBody;
  const priced = terms.appFees.length === 0 ? undefined : priceExactInput(wholeCovers(unit, leg), terms);
  if (!priced?.ok) return [];
  return terms.appFees.map(({ recipient }, n) => ({ recipient, amount: (priced.amounts.app[n] ?? 0n).toString() }));
}

/** Where a transaction of a leg is. */
interface OnChain {
  readonly hash: string;
  readonly block: BlockRef;
}

/**
 * Shows the transaction that did a leg in the record of its request; a collect has no request, and what went with a fill is shown by
 * that.
 */
export function noteOnChain(unit: UnitOfWork, leg: LegRow, at: OnChain): void {
  const { role, besideFill } = factsOf(leg);
  if (leg.requestId === null || role === null) return;
  const request = besideFill ? unit.get('requests', leg.requestId) : undefined;
  if (request !== undefined && isInFill(request)) return;
  noteTransaction(unit, {
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

/** From the first sight of the deposit that a fill settles to its inclusion; null where that deposit is not known. */
export function fillTime(unit: UnitOfWork, leg: LegRow, includedAt: number): number | null {
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  return deposit ? Math.max(0, includedAt - deposit.seenAt) : null;
}

/**
 * What a fill delivered, for the record of its request: what it gave, or where it exchanged that, what the exchange brought.
 * Where nobody measured that, it is the least that the chain let pass, because calls of the order follow the exchange.
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

/**
 * Something of what an order delivers is on its chain for good enough, or was given up: with all the rest its request is a
 * success. A status that a reorged deposit made `failure` stays.
 */
export function completeFill(context: EngineContext, unit: UnitOfWork, leg: LegRow): void {
  const { delivers, besideFill } = factsOf(leg);
  if ((!delivers && !besideFill) || leg.requestId === null) return;
  const request = unit.get('requests', leg.requestId);
  if (request === undefined) return;
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

/**
 * A refund is on its chain for good. An order that was filled, and whose deposit an operator released all the same, stays a
 * success.
 */
export function completeRefund(context: EngineContext, unit: UnitOfWork, leg: LegRow): void {
  if (!factsOf(leg).replacesFill || leg.requestId === null) return;
  const request = unit.get('requests', leg.requestId);
  if (request === undefined || !isDelivered(request)) moveRequest(context, unit, leg.requestId, 'refundFinal');
}
