import type { ChainId, RequestId } from '../../contract/ids.js';
import type {
  ApiKeyRow,
  CursorRow,
  EventRow,
  HoldRow,
  IntegratorRow,
  MetaRow,
  PauseRow,
  PotRow,
  TransactionRow,
} from '../../contract/store-rows.js';
import { decodeRow, type RawRow } from '../rows.js';
import { type Reader, select } from './reader.js';

export async function cursor(reader: Reader, chainId: ChainId): Promise<CursorRow | undefined> {
  return (await select(reader, 'cursors', (query) => query.where('chain_id', chainId)))[0];
}

const LAST = '\u{10FFFF}';

export function pots(reader: Reader, prefix: string): Promise<PotRow[]> {
  return select(reader, 'pots', (query) =>
    query
      .where('account', '>=', prefix)
      .where('account', '<', prefix + LAST)
      .orderBy('account'),
  );
}

export async function pot(reader: Reader, account: string): Promise<bigint> {
  return (await select(reader, 'pots', (query) => query.where({ account })))[0]?.amount ?? 0n;
}

export async function events(
  reader: Reader,
  afterPosition: number,
  limit: number,
): Promise<(EventRow & { readonly position: number })[]> {
  const raws: RawRow[] = await reader('events').where('position', '>', afterPosition).orderBy('position').limit(limit);
  return raws.map((raw) => ({ ...decodeRow('events', raw), position: Number(raw['position']) }));
}

export async function eventsOf(
  reader: Reader,
  request: RequestId,
  afterPosition: number,
): Promise<(EventRow & { readonly position: number })[]> {
  const raws: RawRow[] = await reader('events').where('request_id', request).orderBy('sequence');
  // Filtered here: a position in the condition would lead the planner to the wrong index.
  return raws.flatMap((raw) => {
    const position = Number(raw['position'] ?? 0);
    return position > afterPosition ? [{ ...decodeRow('events', raw), position }] : [];
  });
}

export function undescribed(reader: Reader, limit: number): Promise<TransactionRow[]> {
  return select(reader, 'transactions', (query) =>
    query.whereNull('entry').whereNotNull('block').orderBy('position').limit(limit),
  );
}

export async function apiKeyByHash(reader: Reader, hash: string): Promise<ApiKeyRow | undefined> {
  return (await select(reader, 'apiKeys', (query) => query.where({ hash })))[0];
}

export async function apiKey(reader: Reader, id: string): Promise<ApiKeyRow | undefined> {
  return (await select(reader, 'apiKeys', (query) => query.where({ id })))[0];
}

export function apiKeys(reader: Reader): Promise<ApiKeyRow[]> {
  return select(reader, 'apiKeys', (query) => query.orderBy(['created_at', 'id']));
}

export function apiKeysOf(reader: Reader, integratorId: string): Promise<ApiKeyRow[]> {
  return select(reader, 'apiKeys', (query) => query.where('integrator_id', integratorId).orderBy(['created_at', 'id']));
}

export async function integrator(reader: Reader, id: string): Promise<IntegratorRow | undefined> {
  return (await select(reader, 'integrators', (query) => query.where({ id })))[0];
}

export function integrators(reader: Reader): Promise<IntegratorRow[]> {
  return select(reader, 'integrators', (query) => query.orderBy(['created_at', 'id']));
}

export function pauses(reader: Reader): Promise<PauseRow[]> {
  return select(reader, 'pauses', (query) => query.orderBy('scope'));
}

export function holds(reader: Reader, state: HoldRow['state']): Promise<HoldRow[]> {
  return select(reader, 'holds', (query) => query.where({ state }).orderBy(['created_at', 'id']));
}

export async function hold(reader: Reader, id: string): Promise<HoldRow | undefined> {
  return (await select(reader, 'holds', (query) => query.where({ id })))[0];
}

/** States happen to sort in the promised order. */
export function holdsOfTransaction(reader: Reader, hash: string, limit: number): Promise<HoldRow[]> {
  return select(reader, 'holds', (query) =>
    query.where('transaction_hash', hash).orderBy(['state', 'created_at', 'id']).limit(limit),
  );
}

export async function meta(reader: Reader, key: string): Promise<MetaRow | undefined> {
  return (await select(reader, 'meta', (query) => query.where({ key })))[0];
}
