import type { FeedRow } from '../contract/store.js';

export type EndedStatus = 'success' | 'refund' | 'failure';

/** The status with which the event ends its request; undefined for all others. */
export function endedStatus({ payload }: Pick<FeedRow, 'payload'>): EndedStatus | undefined {
  const { data } = JSON.parse(payload) as { readonly data?: { readonly status?: string } };
  const status = data?.status;
  return status === 'success' || status === 'refund' || status === 'failure' ? status : undefined;
}
