import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { RequestFilter } from '../../contract/search.js';
import type { RequestStatus } from '../../domain/transitions.js';
import { type ApiError, invalidRequest } from '../../errors/api-error.js';
import { type ListingQuery, NOT_BUILT } from './query.js';

type Chains = ReadonlyMap<ChainId, ChainAdapter>;

/** What a fallback ended as is shown, and found, as `refund` (it has no name of its own in the list). */
const STATUSES: Readonly<Record<NonNullable<ListingQuery['status']>, readonly RequestStatus[]>> = {
  success: ['success'],
  failure: ['failure'],
  refund: ['refund', 'fallback'],
  pending: ['pending'],
  depositing: ['depositing'],
};

/** The store's filter for a checked query; 400 for what is known and not built yet. */
export function filterOf(query: ListingQuery, chains: Chains): RequestFilter | ApiError {
  const missing = NOT_BUILT.find((name) => {
    const value = (query as unknown as Readonly<Record<string, unknown>>)[name];
    return value !== undefined && !(name === 'includeAuthenticatedData' && value === 'false');
  });
  if (missing) return invalidRequest(missing, 'is not supported yet');
  if (query.sortBy !== 'createdAt') return invalidRequest('sortBy', `${query.sortBy} is not supported yet`);
  const hashes = hashOf(query);
  if (hashes.length > 1) return invalidRequest(hashes[1]?.name ?? '', 'cannot be combined with another hash yet');
  const [hash] = hashes;
  const sided = query.originChainId !== undefined || query.destinationChainId !== undefined;
  return {
    ...(query.id === undefined ? {} : { id: lower(query.id) }),
    ...(query.id !== undefined && query.includeChildRequests ? { includeChildren: true } : {}),
    ...(query.orderId === undefined ? {} : { orderId: lower(query.orderId) }),
    ...(query.user === undefined ? {} : { user: canonical(query.user, chains) }),
    ...(query.recipient === undefined ? {} : { recipient: canonical(query.recipient, chains) }),
    ...(query.status === undefined ? {} : { statuses: STATUSES[query.status] }),
    ...(query.originChainId === undefined ? {} : { originChainId: query.originChainId }),
    ...(query.destinationChainId === undefined ? {} : { destinationChainId: query.destinationChainId }),
    ...(query.chainId === undefined || sided ? {} : { chainId: query.chainId }),
    ...(hash === undefined ? {} : { hash: { role: hash.role, value: hash.value } }),
    ...(query.startTimestamp === undefined ? {} : { createdFrom: query.startTimestamp * 1000 }),
    // Bounds are whole seconds and inclusive: everything within the last second matches.
    ...(query.endTimestamp === undefined ? {} : { createdTo: query.endTimestamp * 1000 + 999 }),
    hiddenChains: [],
  };
}

function hashOf(query: ListingQuery) {
  const roles = { depositTxHash: 'deposit', fillTxHash: 'fill', refundTxHash: 'refund' } as const;
  return (Object.keys(roles) as (keyof typeof roles)[]).flatMap((name) => {
    const value = query[name];
    return value === undefined ? [] : [{ name, role: roles[name], value: lower(value) }];
  });
}

/** Ids are normalised once, at the edge: hex is lower case everywhere inside. */
function lower(text: string): string {
  return /^0x[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text;
}

/** Canonical spelling by the first chain that reads the text as an address; as given when none does. */
function canonical(text: string, chains: Chains): string {
  for (const chain of chains.values()) {
    const parsed = chain.parseAddress(text);
    if (parsed.ok) return parsed.value;
  }
  return text;
}
