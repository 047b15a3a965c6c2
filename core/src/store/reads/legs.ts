import type { Knex } from 'knex';
import type { ChainId, FundingKey, RequestId, UnixMs } from '../../contract/ids.js';
import type { OpenKey } from '../../contract/store.js';
import type { AttemptRow, KeyRow, LaneRow, LegRow } from '../../contract/store-rows.js';
import type { RawRow } from '../rows.js';
import { groupBy, type Reader, select, selectIn } from './reader.js';

export function legs(reader: Reader, ids: readonly string[]): Promise<LegRow[]> {
  return selectIn(reader, 'legs', 'id', ids);
}

export function legsOfRequests(reader: Reader, ids: readonly RequestId[]): Promise<LegRow[]> {
  return selectIn(reader, 'legs', 'request_id', ids, (query) => query.orderBy(['created_at', 'id']));
}

export function legsOfDeposits(reader: Reader, keys: readonly FundingKey[]): Promise<LegRow[]> {
  return selectIn(reader, 'legs', 'funding_key', keys, (query) => query.orderBy(['created_at', 'id']));
}

/**
 * States are literals, as in the partial index; bound values would not match it.
 *
 * @param locking suffix of the select, for databases with several writers.
 */
export function claimDue(
  reader: Reader,
  chainId: ChainId,
  signer: string,
  now: UnixMs,
  limit: number,
  locking: (query: Knex.QueryBuilder) => Knex.QueryBuilder = (query) => query,
): Promise<LegRow[]> {
  return select(reader, 'legs', (query) =>
    locking(
      query
        .where({ chain_id: chainId, signer })
        .whereRaw(`state in ('owed', 'short')`)
        .where('due_at', '<=', now)
        .orderBy(['created_at', 'id'])
        .limit(limit),
    ),
  );
}

interface OfLane {
  readonly chainId: ChainId;
  readonly signer: string;
}

/** When the first owed leg of each lane is due; null: it has none. Costs a search of an index per lane. */
export async function nextDue(reader: Reader): Promise<(OfLane & { readonly at: UnixMs | null })[]> {
  const first =
    'select min(due_at) from legs where legs.chain_id = lanes.chain_id and legs.signer = lanes.signer ' +
    "and legs.state in ('owed', 'short')";
  const rows: RawRow[] = await reader('lanes').select('chain_id', 'signer', reader.raw(`(${first}) as at`));
  return rows.map((row) => ({ ...ofLane(row), at: row['at'] === null ? null : Number(row['at']) }));
}

/** Costs a search of an index per lane. */
export async function lanesWithOpenKeys(reader: Reader): Promise<(OfLane & { readonly hasOpenKeys: boolean })[]> {
  const some =
    'select 1 from keys where keys.chain_id = lanes.chain_id and keys.signer = lanes.signer ' +
    "and keys.state = 'open' limit 1";
  const rows: RawRow[] = await reader('lanes').select('chain_id', 'signer', reader.raw(`(${some}) as found`));
  return rows.map((row) => ({ ...ofLane(row), hasOpenKeys: row['found'] !== null }));
}

function ofLane(row: RawRow): OfLane {
  return { chainId: Number(row['chain_id']), signer: String(row['signer']) };
}

/** Keys of one millisecond are ordered by length before text, so that 9 comes before 10. */
const BY_AGE = 'created_at, length(id), id';

/** Open keys of a lane with all attempts, oldest first. Requires a transaction: several selects. */
export async function openKeys(reader: Reader, chainId: ChainId, signer: string, limit: number): Promise<OpenKey[]> {
  const keys = await select(reader, 'keys', (query) =>
    query.where({ chain_id: chainId, signer }).whereRaw(`state = 'open'`).orderByRaw(BY_AGE).limit(limit),
  );
  return withAttempts(reader, keys);
}

/** Requires a transaction: several selects. */
export async function keysOfLegs(reader: Reader, ids: readonly string[]): Promise<OpenKey[]> {
  const links = await selectIn(reader, 'attemptLegs', 'leg_id', ids);
  const attempts = await selectIn(
    reader,
    'attempts',
    'id',
    links.map((link) => link.attemptId),
  );
  const keys = await selectIn(reader, 'keys', 'id', [...new Set(attempts.map(({ keyId }) => keyId))], (query) =>
    query.orderByRaw(BY_AGE),
  );
  return withAttempts(reader, keys);
}

async function withAttempts(reader: Reader, keys: readonly KeyRow[]): Promise<OpenKey[]> {
  const attempts = await selectIn(
    reader,
    'attempts',
    'key_id',
    keys.map((key) => key.id),
    (query) => query.orderBy(['key_id', 'n']),
  );
  const links = await selectIn(
    reader,
    'attemptLegs',
    'attempt_id',
    attempts.map((attempt) => attempt.id),
    (query) => query.orderBy(['attempt_id', 'leg_id']),
  );
  const legRows = await legs(
    reader,
    links.map((link) => link.legId),
  );
  const legById = new Map(legRows.map((leg) => [leg.id, leg]));
  const attemptsOf = groupBy(attempts, (attempt) => attempt.keyId);
  const linksOf = groupBy(links, (link) => link.attemptId);
  return keys.map((key) => {
    const own = (attemptsOf.get(key.id) ?? []).map((attempt) => ({
      ...attempt,
      legIds: (linksOf.get(attempt.id) ?? []).map((link) => link.legId),
    }));
    const legIds = [...new Set(own.flatMap((attempt) => attempt.legIds))];
    return { key, attempts: own, legs: legIds.flatMap((id) => legById.get(id) ?? []) };
  });
}

/** Keys without inclusion are mostly the newest: only so many are looked at. An estimate: not of one moment. */
export async function waiting(reader: Reader, chainId: ChainId, signer: string, limit: number): Promise<number> {
  const at = { chain_id: chainId, signer };
  const owed = reader('legs').select('id').where(at).whereRaw(`state in ('owed', 'short')`).limit(limit);
  const open = reader('keys')
    .select('included_hash')
    .where(at)
    .whereRaw(`state = 'open'`)
    .orderBy('created_at', 'desc')
    .limit(limit);
  const [legRows, keyRows] = await Promise.all([owed, open]);
  const unseen = (keyRows as readonly RawRow[]).filter((row) => row['included_hash'] === null);
  return legRows.length + unseen.length;
}

export function attemptsByHash(reader: Reader, chainId: ChainId, hashes: readonly string[]): Promise<AttemptRow[]> {
  return selectIn(reader, 'attempts', 'hash', hashes, (query) => query.where({ chain_id: chainId }));
}

export async function lane(reader: Reader, chainId: ChainId, signer: string): Promise<LaneRow | undefined> {
  return (await select(reader, 'lanes', (query) => query.where({ chain_id: chainId, signer })))[0];
}

export function lanes(reader: Reader): Promise<LaneRow[]> {
  return select(reader, 'lanes', (query) => query.orderBy(['chain_id', 'signer']));
}
