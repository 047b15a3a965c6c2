import type { ChainId, FundingKey } from '../../contract/ids.js';
import type { DepositRow } from '../../contract/store-rows.js';
import type { RawRow } from '../rows.js';
import { type Reader, select, selectIn } from './reader.js';

/** Literals, as in the partial indexes. */
const INCLUDED = `state = 'included'`;

export function deposits(reader: Reader, keys: readonly FundingKey[]): Promise<DepositRow[]> {
  return selectIn(reader, 'deposits', 'funding_key', keys);
}

export function depositsAbove(reader: Reader, chainId: ChainId, height: number): Promise<DepositRow[]> {
  return select(reader, 'deposits', (query) =>
    query.where('chain_id', chainId).whereRaw(INCLUDED).where('height', '>', height).orderBy(['height', 'funding_key']),
  );
}

export function depositsToFinalise(
  reader: Reader,
  chainId: ChainId,
  height: number,
  limit: number,
): Promise<DepositRow[]> {
  return select(reader, 'deposits', (query) =>
    query
      .where('chain_id', chainId)
      .whereRaw(INCLUDED)
      .where('height', '<=', height)
      .orderBy(['height', 'funding_key'])
      .limit(limit),
  );
}

export async function lowestIncluded(reader: Reader, chainId: ChainId): Promise<number> {
  const found = reader('deposits').where('chain_id', chainId).whereRaw(INCLUDED).whereNotNull('height');
  const [row] = (await found.min({ height: 'height' })) as RawRow[];
  const height = row?.['height'] ?? null;
  return height === null ? Number.POSITIVE_INFINITY : Number(height);
}

export function unconfirmed(reader: Reader, chainId: ChainId, limit: number): Promise<DepositRow[]> {
  return select(reader, 'deposits', (query) =>
    query.where('chain_id', chainId).whereRaw(`state = 'mempool'`).orderBy(['seen_at', 'funding_key']).limit(limit),
  );
}

export function undecided(reader: Reader, chainId: ChainId, limit: number): Promise<DepositRow[]> {
  return select(reader, 'deposits', (query) =>
    query
      .where('chain_id', chainId)
      .whereRaw(`decision = 'waiting' and state in ('included', 'final')`)
      .orderBy(['seen_at', 'funding_key'])
      .limit(limit),
  );
}

export function undecidedAt(reader: Reader, chainId: ChainId, limit: number): Promise<DepositRow[]> {
  return select(reader, 'deposits', (query) =>
    query
      .where('chain_id', chainId)
      .whereRaw(`deposit_address is not null and decision = 'waiting' and state in ('included', 'final')`)
      .orderBy(['seen_at', 'funding_key'])
      .limit(limit),
  );
}

/** SQLite stores amounts as text, so both databases compare text: above zero is neither `0` nor signed. */
export function collectable(reader: Reader, chainId: ChainId, limit: number): Promise<DepositRow[]> {
  return select(reader, 'deposits', (query) =>
    query
      .where('chain_id', chainId)
      .whereRaw(`collectable is not null and collect_leg_id is null and state = 'final'`)
      .whereRaw(`cast(collectable as text) <> '0' and cast(collectable as text) not like '-%'`)
      .orderBy(['seen_at', 'funding_key'])
      .limit(limit),
  );
}

export function depositsOfCollect(reader: Reader, legId: string): Promise<DepositRow[]> {
  return select(reader, 'deposits', (query) =>
    query.where('collect_leg_id', legId).orderBy(['seen_at', 'funding_key']),
  );
}

export async function depositsAt(
  reader: Reader,
  chainId: ChainId,
  addresses: readonly string[],
): Promise<DepositRow[]> {
  const rows = await selectIn(reader, 'deposits', 'deposit_address', addresses, (query) =>
    query.where('chain_id', chainId),
  );
  return rows.sort((a, b) => a.seenAt - b.seenAt || (a.fundingKey < b.fundingKey ? -1 : 1));
}

export function unswept(reader: Reader, chainId: ChainId, limit: number): Promise<DepositRow[]> {
  return select(reader, 'deposits', (query) =>
    query
      .where('chain_id', chainId)
      .whereRaw(`deposit_address is not null and swept_at is null and state in ('included', 'final')`)
      .orderBy(['seen_at', 'funding_key'])
      .limit(limit),
  );
}
