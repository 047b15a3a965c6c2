import type { LegRow, RequestRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { UnitOfWork } from '../base/unit-of-work.js';

type Rows = Pick<UnitOfWork, 'get'>;

/** The native coin of an order, with or after its fill. */
export function topUpOf(unit: Rows, { orderId }: Pick<LegRow | RequestRow, 'orderId'>): LegRow | undefined {
  return orderId === null ? undefined : unit.get('legs', legId.topUp(orderId));
}

/** What a fill and its top-up settle together: the input of the quote's fee function. */
export function wholeCovers(unit: Rows, fill: Pick<LegRow, 'orderId' | 'covers'>): bigint {
  return fill.covers + (topUpOf(unit, fill)?.covers ?? 0n);
}

/** For the order's calls to spend: both happen or neither. */
export function isInFill({ body }: Pick<RequestRow, 'body'>): boolean {
  return (JSON.parse(body) as QuoteBody).topUp?.inFill === true;
}

export function topUpLegOf(
  unit: Rows,
  fill: Pick<LegRow, 'orderId'>,
  request: Pick<RequestRow, 'body'>,
): LegRow | undefined {
  const extra = topUpOf(unit, fill);
  return extra !== undefined && isInFill(request) ? extra : undefined;
}

export function isOver({ state }: Pick<LegRow, 'state'>): boolean {
  return state === 'done' || state === 'held' || state === 'void' || state === 'closed';
}

export function isIn({ state, includedAt }: Pick<LegRow, 'state' | 'includedAt'>): boolean {
  return state === 'done' || (state === 'bound' && includedAt !== null);
}

/** An abandoned top-up does not count. */
export function isAllIn(legs: readonly LegRow[]): boolean {
  const fill = legs.find((leg) => factsOf(leg).delivers);
  const extra = legs.filter((leg) => factsOf(leg).paidWithFill);
  return (
    fill !== undefined &&
    isIn(fill) &&
    extra.every((leg) => /* guard: success-includes-top-up */ isIn(leg) || isOver(leg))
  );
}
