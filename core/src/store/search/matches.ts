import type { EqualityCondition, SearchCondition } from '../../contract/search.js';
import { foldCase } from '../../contract/search.js';
import type { RequestRow, TransactionRow } from '../../contract/store-rows.js';
import { featureBit, REQUEST_FEATURES } from '../../domain/features.js';

export type TransactionsOf = (requestId: string) => readonly TransactionRow[];

/** Whether a condition holds for a request; equivalent to the SQL of `conditions.ts`. */
export function holds(condition: SearchCondition, row: RequestRow, transactions: TransactionsOf): boolean {
  switch (condition.kind) {
    case 'is':
      return equal(condition, row, transactions) !== (condition.not ?? false);
    case 'range':
      return within(row[condition.field], condition);
    case 'blocks':
      return transactions(row.id).some(
        (entry) => (!condition.originOnly || entry.chainId === row.originChainId) && within(entry.block, condition),
      );
    case 'family':
      return condition.ids.includes(row.id) || condition.parents.includes(row.parentRequestId ?? '');
  }
}

function within(value: number | null, { from, to }: { readonly from?: number; readonly to?: number }): boolean {
  return value !== null && (from === undefined || value >= from) && (to === undefined || value <= to);
}

function equal(condition: EqualityCondition, row: RequestRow, transactions: TransactionsOf): boolean {
  const { field, values, orMissing } = condition;
  if (orMissing && isMissing(field, row, transactions)) return true;
  const held = heldBy(field, row, transactions);
  return held.some((value) => value !== null && values.includes(value));
}

const ROLES = { depositHash: 'deposit', fillHash: 'fill', refundHash: 'refund' } as const;

function hashes(field: keyof typeof ROLES, row: RequestRow, transactions: TransactionsOf): string[] {
  return transactions(row.id).flatMap((entry) => (entry.role === ROLES[field] ? entry.hash : []));
}

type Held = readonly (string | number | null)[];

function heldBy(field: EqualityCondition['field'], row: RequestRow, transactions: TransactionsOf): Held {
  switch (field) {
    case 'user':
      return [row.user, row.sender, row.depositor];
    case 'chainId':
      return [row.originChainId, row.destinationChainId];
    case 'originSymbol':
    case 'destinationSymbol':
      return [foldCase(row[field])];
    case 'feature':
      return features(row);
    case 'depositHash':
    case 'fillHash':
    case 'refundHash':
      return hashes(field, row, transactions);
    case 'term':
      return [
        ...[
          row.id,
          row.parentRequestId,
          row.orderId,
          row.user,
          row.sender,
          row.recipient,
          row.depositAddress,
          row.depositor,
        ],
        ...transactions(row.id).map((entry) => entry.hash),
      ];
    default:
      return [row[field]];
  }
}

function features(row: RequestRow): string[] {
  return REQUEST_FEATURES.filter((name) => (row.features & featureBit(name)) !== 0);
}

function isMissing(field: EqualityCondition['field'], row: RequestRow, transactions: TransactionsOf): boolean {
  if (field === 'user') return row.sender === null && row.depositor === null;
  const held = heldBy(field, row, transactions);
  return field === 'term' ? held.every((value) => value === null) : held.length === 0 || held.includes(null);
}
