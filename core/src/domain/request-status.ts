/** Status of a request record plus the status endpoint's `fallback`. */
export const REQUEST_STATUSES = [
  'waiting',
  'depositing',
  'pending',
  'submitted',
  'success',
  'failure',
  'refund',
  'fallback',
] as const;

export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** Nothing more is owed to its parties, except what a late or too large payment brings back to them. */
export function isSettled(status: RequestStatus): boolean {
  return status === 'success' || status === 'refund' || status === 'failure';
}

export function isDelivered({ status }: { readonly status: RequestStatus }): boolean {
  return status === 'success' || status === 'fallback';
}
