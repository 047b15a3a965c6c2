import type { ChainId, UnixMs } from './ids.js';

/**
 * Fields that a filter compares by equality, as `GET /requests/v3` names the parameters behind them.
 *
 * - `user`: the row's user, its sender or its deposit-address depositor. *Missing* where neither sender nor depositor is
 *   known.
 * - `chainId`: either side. `feature`: has it; *missing* without any.
 * - `originSymbol`, `destinationSymbol`: without regard to the case of ASCII letters.
 * - `depositHash`, `fillHash`, `refundHash`: a transaction of that role; *missing* without one.
 * - `term`: id, the parent's id, order id, user, sender, recipient, deposit address, depositor, or the hash of any transaction.
 */
export type SearchField =
  | 'id'
  | 'orderId'
  | 'user'
  | 'recipient'
  | 'depositAddress'
  | 'status'
  | 'failReason'
  | 'refundFailReason'
  | 'keyId'
  | 'referrer'
  | 'requestType'
  | 'originChainId'
  | 'destinationChainId'
  | 'chainId'
  | 'originCurrency'
  | 'destinationCurrency'
  | 'originSymbol'
  | 'destinationSymbol'
  | 'feature'
  | 'depositHash'
  | 'fillHash'
  | 'refundHash'
  | 'term';

/**
 * The field is one of the values or, with `orMissing`, has none. Values are canonical: what a row keeps. `not` turns the
 * answer round, so a missing field is not any value. No values and not `orMissing` matches nothing.
 */
export interface EqualityCondition {
  readonly kind: 'is';
  readonly field: SearchField;
  readonly values: readonly (string | number)[];
  readonly orMissing?: boolean;
  readonly not?: boolean;
}

/** Micro-USD for the USD fields, milliseconds for the others. */
export type RangeField = 'createdAt' | 'updatedAt' | 'amountUsd' | 'appFeesUsd' | 'fillTimeMs';

/** Inclusive; a missing field is in no range. */
export interface RangeCondition {
  readonly kind: 'range';
  readonly field: RangeField;
  readonly from?: number;
  readonly to?: number;
}

/** One transaction of the request, with `originOnly` one on its origin chain, is in a block within the inclusive bounds. */
export interface BlockCondition {
  readonly kind: 'blocks';
  readonly from?: number;
  readonly to?: number;
  readonly originOnly: boolean;
}

/** The request with this id and its child requests. */
export interface FamilyCondition {
  readonly kind: 'family';
  readonly id: string;
}

export type SearchCondition = EqualityCondition | RangeCondition | BlockCondition | FamilyCondition;

/** A request matches when every condition of `all` holds and, where groups are given, every condition of one of them. */
export interface RequestFilter {
  readonly all: readonly SearchCondition[];
  readonly anyOf?: readonly (readonly SearchCondition[])[];
  /** Hidden chains that this caller may see; requests of other hidden chains never match. */
  readonly hiddenChains: readonly ChainId[];
}

export type SearchSort = 'createdAt' | 'updatedAt' | 'amountUsd';

/** Keyset position: the last row of the previous page. `value` is null where that row has none. */
export interface Keyset {
  readonly value: number | null;
  readonly id: string;
}

export interface RequestSearch {
  readonly filter: RequestFilter;
  /** Rows without an amount come last, whatever the direction. Equal values are ordered by id. */
  readonly sortBy: SearchSort;
  readonly direction: 'asc' | 'desc';
  readonly after?: Keyset;
  readonly limit: number;
  readonly total: boolean;
  /** With `updatedAt`: only requests created until then, so that a walk meets nobody who came after it began. */
  readonly asOf?: UnixMs;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** Position of the last row; undefined on the last page. */
  readonly next?: Keyset;
  readonly total?: number;
}

/** A search that is not answered within this time is given up. */
export const SEARCH_TIMEOUT_MS = 2_000;

/** Thrown by `search`: the database would have had to read too much. Asking for less helps, asking again does not. */
export class SearchTimeoutError extends Error {
  override readonly name = 'SearchTimeoutError';
}

/** ASCII letters in lower case and nothing else changed, as databases do without a locale. */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
