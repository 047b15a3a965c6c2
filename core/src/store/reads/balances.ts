import type { RequestId } from '../../contract/ids.js';
import type {
  BalanceEventFilter,
  BalanceEventRow,
  SponsorPolicyRow,
  SponsorshipRow,
} from '../../contract/store-rows.js';
import { type Reader, select, selectIn } from './reader.js';

export function sponsorships(reader: Reader, requests: readonly RequestId[]): Promise<SponsorshipRow[]> {
  return selectIn(reader, 'sponsorships', 'request_id', requests);
}

export function openSponsorships(
  reader: Reader,
  after: Pick<SponsorshipRow, 'createdAt' | 'id'>,
  limit: number,
): Promise<SponsorshipRow[]> {
  return select(reader, 'sponsorships', (query) =>
    query
      .whereRaw('taken is null')
      .whereRaw('(created_at, id) > (?, ?)', [after.createdAt, after.id])
      .orderBy(['created_at', 'id'])
      .limit(limit),
  );
}

export function balanceEvents(
  reader: Reader,
  integratorId: string,
  { kind, requestId, chainId, currency }: BalanceEventFilter,
  limit: number,
  after?: Pick<BalanceEventRow, 'createdAt' | 'id'>,
): Promise<BalanceEventRow[]> {
  const asked = { kind, request_id: requestId, chain_id: chainId, currency };
  const wanted = Object.entries(asked).filter(([, value]) => value !== undefined);
  return select(reader, 'balanceEvents', (query) => {
    const own = query.where({ integrator_id: integratorId, ...Object.fromEntries(wanted) }).orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ]);
    if (after) own.whereRaw('(created_at, id) < (?, ?)', [after.createdAt, after.id]);
    return own.limit(limit);
  });
}

export async function sponsorPolicy(reader: Reader, id: string): Promise<SponsorPolicyRow | undefined> {
  return (await select(reader, 'sponsorPolicies', (query) => query.where({ id })))[0];
}
