import type { LegRow, RequestRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { UnitOfWork } from '../base/unit-of-work.js';

type Rows = Pick<UnitOfWork, 'get'>;

/** What goes out beside the fill of an order: native coin, with it or after it. Undefined where nothing does. */
export function topUpOf(unit: Rows, { orderId }: Pick<LegRow | RequestRow, 'orderId'>): LegRow | undefined {
  return orderId === null ? undefined : unit.get('legs', legId.topUp(orderId));
}

/** Part of its deposit that a fill settles together with what goes out beside it: what the quote's fee function is applied to. */
export function wholeCovers(unit: Rows, fill: Pick<LegRow, 'orderId' | 'covers'>): bigint {
  return fill.covers + (topUpOf(unit, fill)?.covers ?? 0n);
}

/** Whether it goes with the fill, for the calls of the order to spend: both happen or none. */
export function isInFill({ body }: Pick<RequestRow, 'body'>): boolean {
  return (JSON.parse(body) as QuoteBody).topUp?.inFill === true;
}

/** Coin that goes with a fill; undefined where none does. */
export function riderOf(
  unit: Rows,
  fill: Pick<LegRow, 'orderId'>,
  request: Pick<RequestRow, 'body'>,
): LegRow | undefined {
  const beside = topUpOf(unit, fill);
  return beside !== undefined && isInFill(request) ? beside : undefined;
}

/** A movement that ended, whatever came of it. */
export function isOver({ state }: Pick<LegRow, 'state'>): boolean {
  return state === 'done' || state === 'held' || state === 'void' || state === 'closed';
}

/** Its transaction is on the chain, as far as is known now. */
export function isIn({ state, includedAt }: Pick<LegRow, 'state' | 'includedAt'>): boolean {
  return state === 'done' || (state === 'bound' && includedAt !== null);
}

/** Whether all that an order promised is on its chain, and what goes beside it, unless that was given up. */
export function isAllIn(legs: readonly LegRow[]): boolean {
  const fill = legs.find((leg) => factsOf(leg).delivers);
  const beside = legs.filter((leg) => factsOf(leg).besideFill);
  return fill !== undefined && isIn(fill) && beside.every((leg) => isIn(leg) || isOver(leg));
}
