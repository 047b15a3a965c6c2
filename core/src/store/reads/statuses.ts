import type { RequestId } from '../../contract/ids.js';
import type { StatusView } from '../../contract/store.js';
import type { RequestRow, TransactionRow } from '../../contract/store-rows.js';
import type { RawRow } from '../rows.js';
import { type Reader, rowsOf } from './reader.js';

/** One statement sees one snapshot, so that no transaction is needed. Without the long texts of a request. */
const REQUESTS = (marks: string) => `
  select r.id, r.status, r.created_at, r.updated_at, r.origin_chain_id, r.destination_chain_id,
    r.fail_reason, r.refund_fail_reason, r.details, t.role, t.hash
  from requests r left join transactions t on t.request_id = r.id
  where r.id in (${marks}) order by t.position`;

const QUOTES = (marks: string) =>
  `select id, created_at, origin_chain_id, destination_chain_id from quotes where id in (${marks})`;

/** Of requests; of quotes where there is none: one that is paid meanwhile was `waiting` when it was asked for. */
export async function statuses(reader: Reader, ids: readonly RequestId[]): Promise<StatusView[]> {
  const asked = [...new Set(ids)];
  const found = new Map<string, StatusView & { readonly transactions: TransactionOf[] }>();
  for (const row of await rowsFor(reader, REQUESTS, asked)) {
    const id = String(row['id']);
    const view = found.get(id) ?? requestOf(row);
    found.set(id, view);
    if (row['hash'] !== null) view.transactions.push(transactionOf(row));
  }
  const missing = found.size < asked.length ? asked.filter((id) => !found.has(id)) : [];
  const quotes = await rowsFor(reader, QUOTES, missing);
  return [...found.values(), ...quotes.map(quoteOf)];
}

type TransactionOf = Pick<TransactionRow, 'role' | 'hash'>;

async function rowsFor(reader: Reader, sql: (marks: string) => string, ids: readonly string[]): Promise<RawRow[]> {
  if (ids.length === 0) return [];
  return rowsOf(await reader.raw(sql(ids.map(() => '?').join(',')), ids));
}

const text = (value: unknown) => (value === null ? null : String(value));

function requestOf(row: RawRow) {
  return {
    ...placeOf(row),
    status: String(row['status']) as RequestRow['status'],
    updatedAt: Number(row['updated_at']),
    failReason: text(row['fail_reason']) as RequestRow['failReason'],
    refundFailReason: text(row['refund_fail_reason']) as RequestRow['refundFailReason'],
    details: text(row['details']),
    transactions: [] as TransactionOf[],
  };
}

function quoteOf(row: RawRow): StatusView {
  const place = placeOf(row);
  const nothing = { failReason: null, refundFailReason: null, details: null, transactions: [] };
  return { ...place, status: 'waiting', updatedAt: place.createdAt, ...nothing };
}

function placeOf(row: RawRow) {
  return {
    id: String(row['id']) as RequestId,
    createdAt: Number(row['created_at']),
    originChainId: Number(row['origin_chain_id']),
    destinationChainId: Number(row['destination_chain_id']),
  };
}

function transactionOf(row: RawRow): TransactionOf {
  return { role: String(row['role']) as TransactionRow['role'], hash: String(row['hash']) };
}
