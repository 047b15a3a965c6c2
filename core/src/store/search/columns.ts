import type { RangeField, SearchField } from '../../contract/search.js';
import type { Cell } from '../rows.js';

type TextField = Exclude<SearchField, 'feature' | 'depositHash' | 'fillHash' | 'refundHash' | 'originChainId'>;

const COLUMNS: Readonly<Record<TextField | 'originChainId', readonly string[]>> = {
  id: ['id'],
  orderId: ['order_id'],
  user: ['user', 'sender', 'depositor'],
  recipient: ['recipient'],
  depositAddress: ['deposit_address'],
  status: ['status'],
  failReason: ['fail_reason'],
  refundFailReason: ['refund_fail_reason'],
  keyId: ['key_id'],
  referrer: ['referrer'],
  requestType: ['request_type'],
  originChainId: ['origin_chain_id'],
  destinationChainId: ['destination_chain_id'],
  chainId: ['origin_chain_id', 'destination_chain_id'],
  originCurrency: ['origin_currency'],
  destinationCurrency: ['destination_currency'],
  originSymbol: ['origin_symbol'],
  destinationSymbol: ['destination_symbol'],
  term: ['id', 'parent_request_id', 'order_id', 'user', 'sender', 'recipient', 'deposit_address', 'depositor'],
};

export const HASH_ROLES = { depositHash: 'deposit', fillHash: 'fill', refundHash: 'refund' } as const;

export const RANGE_COLUMNS: Readonly<Record<RangeField, string>> = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  amountUsd: 'amount_usd',
  appFeesUsd: 'app_fees_usd',
  fillTimeMs: 'fill_time_ms',
};

export function columnsOf(field: SearchField): readonly string[] {
  return field in COLUMNS ? COLUMNS[field as TextField] : [];
}

/** Columns for *missing*; for `user` as the interface defines it, because a row's own user is never missing. */
export function missingColumns(field: SearchField): readonly string[] {
  return field === 'user' ? ['sender', 'depositor'] : columnsOf(field);
}

export const column = (name: string): string => `r."${name}"`;

/** Hides a column from the planner's index choice. */
export const veiled = (name: string, like: Cell): string =>
  typeof like === 'number' ? `(${column(name)} + 0)` : `(${column(name)} || '')`;

export const FACET_AMOUNT = `(0 + ${column('amount_usd')})`;
