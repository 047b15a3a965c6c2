import type { PostingRow } from '../contract/store-rows.js';
import { account } from './accounts.js';
import { type PostingMeta, rows } from './postings.js';

/** Taken from an app balance, micro-USD. */
export function sponsorshipPosting(meta: PostingMeta, integratorId: string, taken: bigint): PostingRow[] {
  return rows(meta, [
    [account.appBalance(integratorId), taken],
    [account.sponsored, -taken],
  ]);
}

/** Value that an app balance is credited with, micro-USD; negative: withdrawn. */
export function creditPosting(meta: PostingMeta, integratorId: string, value: bigint): PostingRow[] {
  return rows(meta, [
    [account.appBalanceFunds, value],
    [account.appBalance(integratorId), -value],
  ]);
}
