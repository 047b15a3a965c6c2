import type { FeeClaimView } from '../../contract/store.js';
import type { FeeClaimRow } from '../../contract/store-rows.js';
import { type Reader, select, selectIn } from './reader.js';

export async function feeClaim(reader: Reader, id: FeeClaimRow['id']): Promise<FeeClaimView | undefined> {
  const rows = await select(reader, 'feeClaims', (query) => query.where({ id }));
  return (await viewsOf(reader, rows))[0];
}

export async function feeClaims(
  reader: Reader,
  wallets: readonly string[],
  limit: number,
  after?: Pick<FeeClaimRow, 'createdAt' | 'id'>,
): Promise<FeeClaimView[]> {
  const pages = [];
  for (const wallet of new Set(wallets)) {
    pages.push(
      await select(reader, 'feeClaims', (query) => {
        const own = query.where({ wallet }).orderBy([
          { column: 'created_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ]);
        if (after) own.whereRaw('(created_at, id) < (?, ?)', [after.createdAt, after.id]);
        return own.limit(limit);
      }),
    );
  }
  return viewsOf(reader, pages.flat().sort(newestFirst).slice(0, limit));
}

function newestFirst(a: FeeClaimRow, b: FeeClaimRow): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}

async function viewsOf(reader: Reader, rows: readonly FeeClaimRow[]): Promise<FeeClaimView[]> {
  const legIds = rows.map(({ legId }) => legId);
  const legs = new Map((await selectIn(reader, 'legs', 'id', legIds)).map((leg) => [leg.id, leg]));
  const keyIds = [...legs.values()].flatMap(({ chainId, key }) => (key === null ? [] : [`${chainId}:${key}`]));
  const keys = new Map((await selectIn(reader, 'keys', 'id', keyIds)).map((key) => [key.id, key]));
  return rows.flatMap((claim) => {
    const leg = legs.get(claim.legId);
    if (!leg) return [];
    const key = leg.key === null ? undefined : keys.get(`${leg.chainId}:${leg.key}`);
    return [{ claim, leg, hash: key?.includedHash ?? null }];
  });
}
