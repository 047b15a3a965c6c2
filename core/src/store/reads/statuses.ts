import type { RequestId } from '../../contract/ids.js';
import type { StatusView } from '../../contract/store.js';
import type { RequestRow, TransactionRow } from '../../contract/store-rows.js';
import { eachOf, type Reader, rowsOf } from './reader.js';

const JSON_NAMES = {
  sqlite3: { group: 'json_group_array', array: 'json_array' },
  pg: { group: 'json_agg', array: 'json_build_array' },
} as const;
type JsonNames = (typeof JSON_NAMES)[keyof typeof JSON_NAMES] & { readonly each: string };

/**
 * One statement is one snapshot. It returns one JSON text, because drivers take longer to build row objects than the
 * database to find them, and is the same for any number of ids, so it stays prepared.
 */
const REQUESTS = ({ group, array, each }: JsonNames) => `
  select ${group}(${array}(r.id, r.status, r.created_at, r.updated_at, r.origin_chain_id, r.destination_chain_id,
    r.fail_reason, r.refund_fail_reason, r.details, r.id, ${transactionsOf({ group, array })}
  )) as found from requests r where r.id in (${each})`;

const transactionsOf = ({ group, array }: Omit<JsonNames, 'each'>) =>
  `(select ${group}(${array}(t.role, t.hash, t.status) order by t.position) from transactions t where t.request_id = r.id)`;

/**
 * An unfunded quote gets a status only from a transfer of its payer that cannot fund it. Transfers of others appear
 * only in the details, because the payer may have used another account.
 */
const QUOTES = ({ group, array, each }: JsonNames) => `
  select ${group}(${array}(q.id, r.status, q.created_at, coalesce(r.updated_at, q.created_at), q.origin_chain_id,
    q.destination_chain_id, r.fail_reason, r.refund_fail_reason, coalesce(r.details, (
      select c.details from requests c where c.parent_request_id = q.id and c.details is not null
      order by c.created_at desc, c.id desc limit 1
    )), r.id, ${transactionsOf({ group, array })}
  )) as found from quotes q left join requests r on r.id = (
    select c.id from requests c where c.parent_request_id = q.id and c.sender = q."user"
    order by c.created_at desc, c.id desc limit 1
  ) where q.id in (${each})`;

/** Requests first, then quotes: a quote paid in between was `waiting` when asked for. */
export async function statuses(reader: Reader, ids: readonly RequestId[]): Promise<StatusView[]> {
  const asked = [...new Set(ids)];
  const requests = (await found<Found>(reader, REQUESTS, asked)).map(viewOf);
  if (requests.length === asked.length) return requests;
  const known = new Set(requests.map(({ id }) => id));
  const missing = asked.filter((id) => !known.has(id));
  return [...requests, ...(await found<Found>(reader, QUOTES, missing)).map(viewOf)];
}

async function found<T>(reader: Reader, sql: (names: JsonNames) => string, ids: readonly string[]): Promise<T[]> {
  if (ids.length === 0) return [];
  const names = JSON_NAMES[reader.client.config.client as keyof typeof JSON_NAMES];
  const [row] = rowsOf(await reader.raw(sql({ ...names, each: eachOf(reader) }), [JSON.stringify(ids)]));
  return parsed<T>(row?.['found']);
}

/** Some drivers return text, and some databases null for no rows. */
function parsed<T>(found: unknown): T[] {
  return ((typeof found === 'string' ? JSON.parse(found) : found) ?? []) as T[];
}

type Found = [
  id: string,
  status: string | null,
  createdAt: number,
  updatedAt: number,
  originChainId: number,
  destinationChainId: number,
  failReason: string | null,
  refundFailReason: string | null,
  details: string | null,
  requestId: string | null,
  transactions: unknown,
];

type Transaction = [role: TransactionRow['role'], hash: string, status: TransactionRow['status']];

function viewOf(row: Found): StatusView {
  const [id, status, createdAt, updatedAt, originChainId, destinationChainId, failReason, refundFailReason, details] =
    row;
  return {
    id: id as RequestId,
    status: (status ?? 'waiting') as RequestRow['status'],
    createdAt,
    updatedAt,
    originChainId,
    destinationChainId,
    failReason: failReason as RequestRow['failReason'],
    refundFailReason: refundFailReason as RequestRow['refundFailReason'],
    details,
    requestId: row[9] as RequestId | null,
    transactions: parsed<Transaction>(row[10]).map(([role, hash, status]) => ({ role, hash, status })),
  };
}
