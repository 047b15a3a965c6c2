import type { ChainId, UnixMs } from './ids.js';

/**
 * Fields compared by equality, named after the parameters of `GET /requests/v3`.
 *
 * - `user`: the row's user, sender or deposit-address depositor. *Missing* without sender and depositor.
 * - `chainId`: either side. `feature`: has it; *missing* without any.
 * - `originSymbol`, `destinationSymbol`: ASCII case-insensitive.
 * - `depositHash`, `fillHash`, `refundHash`: a transaction of that role; *missing* without one.
 * - `term`: id, parent id, order id, user, sender, recipient, deposit address, depositor, or any transaction hash.
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
 * The field equals one of the canonical values or, with `orMissing`, has none. `not` negates, so a missing field then
 * matches any value. No values without `orMissing` match nothing.
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

/** A transaction, with `originOnly` on the origin chain, is in a block within the inclusive bounds. */
export interface BlockCondition {
  readonly kind: 'blocks';
  readonly from?: number;
  readonly to?: number;
  readonly originOnly: boolean;
}

export interface FamilyCondition {
  readonly kind: 'family';
  readonly ids: readonly string[];
  /** Requests with one of these parents match too. */
  readonly parents: readonly string[];
}

export type SearchCondition = EqualityCondition | RangeCondition | BlockCondition | FamilyCondition;

/** Every condition of `all` holds and, if there are groups, every condition of at least one group. */
export interface RequestFilter {
  readonly all: readonly SearchCondition[];
  readonly anyOf?: readonly (readonly SearchCondition[])[];
  /** Hidden chains that this caller may see; requests of others never match. */
  readonly hiddenChains: readonly ChainId[];
}

export type SearchSort = 'createdAt' | 'updatedAt' | 'amountUsd';

/** Last row of the previous page. `value` is null if the row has none. */
export interface Keyset {
  readonly value: number | null;
  readonly id: string;
}

export interface RequestSearch {
  readonly filter: RequestFilter;
  /** Rows without an amount come last in either direction. Ties are ordered by id. */
  readonly sortBy: SearchSort;
  readonly direction: 'asc' | 'desc';
  readonly after?: Keyset;
  readonly limit: number;
  readonly total: boolean;
  /** With `updatedAt`: only requests created until then. */
  readonly asOf?: UnixMs;
}

export interface Page<T> {
  readonly rows: readonly T[];
  readonly next?: Keyset;
  readonly total?: number;
}

export const SEARCH_TIMEOUT_MS = 2_000;

/** The query is too expensive: narrowing it helps, retrying does not. */
export class SearchTimeoutError extends Error {
  override readonly name = 'SearchTimeoutError';
}

/** Lower-cases ASCII letters only, as databases without a locale do. */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
