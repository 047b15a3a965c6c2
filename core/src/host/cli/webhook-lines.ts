/** Times are Unix milliseconds. */
export interface ListedEndpoint {
  readonly id: string;
  readonly integratorId: string;
  readonly url: string;
  readonly description: string | null;
  readonly statuses: readonly string[];
  readonly chains: readonly number[];
  readonly state: string;
  readonly reason: string | null;
  readonly failingSince: number | null;
}

/** Times are Unix milliseconds. */
export interface ListedDelivery {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
  readonly reason: string | null;
  readonly answer: { readonly status: number } | null;
  readonly updatedAt: number;
}

const time = (at: number): string => new Date(at).toISOString();

/** `we_1  https://example.com/hook  int_1  active  (The shop)  statuses success`. */
export function endpointLine(endpoint: ListedEndpoint): string {
  const { id, url, integratorId, state, reason, description, statuses, chains, failingSince } = endpoint;
  const parts = [
    id,
    url,
    integratorId,
    reason === null ? state : `${state}: ${reason}`,
    ...(failingSince === null ? [] : [`failing since ${time(failingSince)}`]),
    ...(description === null ? [] : [`(${description})`]),
    ...(statuses.length === 0 ? [] : [`statuses ${statuses.join(',')}`]),
    ...(chains.length === 0 ? [] : [`chains ${chains.join(',')}`]),
  ];
  return parts.join('  ');
}

/** `2026-11-25T…  delivered  we_1/0x…:2  1 attempt  204`. */
export function deliveryLine({
  id,
  state,
  attempts,
  nextAttemptAt,
  reason,
  answer,
  updatedAt,
}: ListedDelivery): string {
  const parts = [
    time(updatedAt),
    state,
    id,
    `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
    ...(answer === null ? [] : [String(answer.status)]),
    ...(reason === null ? [] : [reason]),
    ...(nextAttemptAt === null ? [] : [`next ${time(nextAttemptAt)}`]),
  ];
  return parts.join('  ');
}
