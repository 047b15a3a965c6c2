import type { OrderId, RequestId } from '../../contract/ids.js';
import type { RequestMark, RequestView, ShownRequest } from '../../contract/store.js';
import type {
  ClientMetadataRow,
  IdempotencyKeyRow,
  QuoteRow,
  RequestRow,
  TombstoneRow,
} from '../../contract/store-rows.js';
import type { RawRow } from '../rows.js';
import { schemaOf } from '../schema.js';
import { groupBy, type Reader, select, selectIn } from './reader.js';

export async function quote(reader: Reader, id: RequestId): Promise<QuoteRow | undefined> {
  return (await select(reader, 'quotes', (query) => query.where('id', id)))[0];
}

export function quotesByOrder(reader: Reader, orderIds: readonly OrderId[]): Promise<QuoteRow[]> {
  return selectIn(reader, 'quotes', 'order_id', orderIds);
}

export async function unpaidQuotes(reader: Reader, limit: number): Promise<number> {
  const found = reader('quotes').select('id').whereNull('paid').whereNull('key_id').orderBy(['deadline_at', 'id']);
  const [row] = (await reader.from(found.limit(limit).as('found')).count({ n: '*' })) as RawRow[];
  return Number(row?.['n'] ?? 0);
}

export function tombstonesByOrder(reader: Reader, orderIds: readonly OrderId[]): Promise<TombstoneRow[]> {
  return selectIn(reader, 'tombstones', 'order_id', orderIds);
}

export async function request(reader: Reader, id: RequestId): Promise<RequestRow | undefined> {
  return (await select(reader, 'requests', (query) => query.where('id', id)))[0];
}

export function requests(reader: Reader, ids: readonly RequestId[]): Promise<RequestRow[]> {
  return selectIn(reader, 'requests', 'id', ids);
}

export function requestsByOrder(reader: Reader, orderIds: readonly OrderId[]): Promise<RequestRow[]> {
  return selectIn(reader, 'requests', 'order_id', orderIds, (query) => query.whereNull('parent_request_id'));
}

export async function requestsOfKey(
  reader: Reader,
  keyId: string,
  { updatedAt, id }: RequestMark,
  limit: number,
): Promise<RequestMark[]> {
  const raws = (await reader('request_listing')
    .select('id', 'updated_at')
    .where('key_id', keyId)
    .whereRaw('(updated_at, id) > (?, ?)', [updatedAt, id])
    .orderBy(['updated_at', 'id'])
    .limit(limit)) as RawRow[];
  return raws.map((raw) => ({ id: String(raw['id']), updatedAt: Number(raw['updated_at']) }));
}

export async function idempotencyKey(reader: Reader, id: string): Promise<IdempotencyKeyRow | undefined> {
  return (await select(reader, 'idempotencyKeys', (query) => query.where({ id })))[0];
}

export function clientMetadata(reader: Reader, ids: readonly RequestId[]): Promise<ClientMetadataRow[]> {
  return selectIn(reader, 'clientMetadata', 'request_id', ids);
}

/** Literals, as in the partial index. */
/** Literal, as in the partial index. An unpaid deposit address waits for ever and holds nothing. */
const UNSETTLED = `status not in ('success', 'refund', 'failure') and (status <> 'waiting' or funding_key is not null)`;

export function unsettled(reader: Reader, limit: number, after?: RequestId): Promise<RequestRow[]> {
  return select(reader, 'requests', (query) => {
    query.whereRaw(UNSETTLED);
    if (after !== undefined)
      query.whereRaw('(created_at, id) > (select created_at, id from requests where id = ?)', [after]);
    return query.orderBy(['created_at', 'id']).limit(limit);
  });
}

/** In the order of the ids; unknown ids are left out. Requires a transaction: several selects. */
export async function views(reader: Reader, ids: readonly RequestId[]): Promise<RequestView[]> {
  const rows = await viewsWith(reader, ids, DECIDED_ON);
  return rows.map((view) => ({ ...view, transactions: view.transactions.map(({ entry: _, ...row }) => row) }));
}

export function shown(reader: Reader, ids: readonly RequestId[]): Promise<ShownRequest[]> {
  return viewsWith(reader, ids, '*');
}

/** Columns without descriptions, whose size is decided by third parties. */
const DECIDED_ON = schemaOf('transactions').columns.flatMap(({ field, name }) => (field === 'entry' ? [] : [name]));

async function viewsWith(
  reader: Reader,
  ids: readonly RequestId[],
  ofTransactions: string | readonly string[],
): Promise<ShownRequest[]> {
  if (ids.length === 0) return [];
  const found = new Map((await requests(reader, ids)).map((row) => [row.id, row]));
  const known = [...found.keys()];
  const deposits = await selectIn(reader, 'deposits', 'request_id', known, (query) =>
    query.orderBy(['seen_at', 'funding_key']),
  );
  const legs = await selectIn(reader, 'legs', 'request_id', known, (query) => query.orderBy(['created_at', 'id']));
  const transactions = await selectIn(reader, 'transactions', 'request_id', known, (query) =>
    query.select(ofTransactions).orderBy('position'),
  );
  const depositsOf = groupBy(deposits, (row) => row.requestId);
  const legsOf = groupBy(legs, (row) => row.requestId);
  const transactionsOf = groupBy(transactions, (row) => row.requestId);
  return [...new Set(ids)].flatMap((id) => {
    const row = found.get(id);
    if (!row) return [];
    return [
      {
        request: row,
        deposits: depositsOf.get(id) ?? [],
        legs: legsOf.get(id) ?? [],
        transactions: transactionsOf.get(id) ?? [],
      },
    ];
  });
}
