import type { ChainId } from '../../contract/ids.js';
import type { EqualityCondition, RequestFilter, SearchCondition } from '../../contract/search.js';
import type { Store } from '../../contract/store.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import { hashKey } from '../key-format.js';
import { grantedChains } from '../keys.js';
import { type AskedFilter, commas } from './filter.js';
import type { ListingQuery } from './query.js';
import type { Chains } from './spellings.js';

type KeyStore = Pick<Store, 'apiKey' | 'apiKeyByHash'>;

/**
 * Replaces keys by their ids; adds private chains granted to the key; `referrer` only matches keys of the caller's
 * integrator.
 */
export async function permitted(
  { all, groups }: AskedFilter,
  query: ListingQuery,
  caller: ApiKeyRow | null,
  { store, chains }: { readonly store: KeyStore; readonly chains: Chains },
): Promise<RequestFilter | ApiError> {
  const hiddenChains = chainsToInclude(query.privateChainsToInclude, caller, chains);
  if (hiddenChains instanceof ApiError) return hiddenChains;
  const known = new Map<string, ApiKeyRow | undefined>();
  const find = keyFinder(store, caller);
  const conditions = await withKeyIds(all, find, known);
  const byReferrer = query.referrer !== undefined || groups.some(({ names }) => names.has('referrer'));
  if (byReferrer) {
    const refused = refusedReferrer(query, caller, conditions, known);
    if (refused) return refused;
  }
  const anyOf: (readonly SearchCondition[])[] = [];
  for (const group of groups) anyOf.push(await withKeyIds(group.conditions, find, known));
  return { all: conditions, ...(anyOf.length > 0 ? { anyOf } : {}), hiddenChains };
}

type KeyFinder = (value: string) => Promise<ApiKeyRow | undefined>;

/**
 * Naming a key, a secret, proves the right to list by it; its id proves nothing. Ids of other integrators' keys are
 * answered like unknown ids.
 */
function keyFinder(store: KeyStore, caller: ApiKeyRow | null): KeyFinder {
  return async (value) => {
    const byKey = await store.apiKeyByHash(hashKey(value));
    if (byKey || caller === null) return byKey;
    const byId = await store.apiKey(value);
    return byId?.integratorId === caller.integratorId ? byId : undefined;
  };
}

async function withKeyIds(
  conditions: readonly SearchCondition[],
  find: KeyFinder,
  known: Map<string, ApiKeyRow | undefined>,
): Promise<SearchCondition[]> {
  const found: SearchCondition[] = [];
  for (const condition of conditions) {
    if (!isOfKeys(condition)) {
      found.push(condition);
      continue;
    }
    const ids = new Set<string>();
    for (const value of condition.values) {
      const row = await find(String(value));
      // Never pass an unknown key on as a value; compare its hash.
      const id = row?.id ?? hashKey(String(value));
      ids.add(id);
      known.set(id, row);
    }
    found.push({ ...condition, values: [...ids] });
  }
  return found;
}

function isOfKeys(condition: SearchCondition): condition is EqualityCondition {
  return condition.kind === 'is' && condition.field === 'keyId';
}

function refusedReferrer(
  query: ListingQuery,
  caller: ApiKeyRow | null,
  conditions: readonly SearchCondition[],
  known: ReadonlyMap<string, ApiKeyRow | undefined>,
): ApiError | undefined {
  if (query.apiKey === undefined) return invalidRequest('referrer', 'needs the parameter apiKey');
  if (caller === null) return apiError('FORBIDDEN', 'referrer: only an integrator may filter by it');
  const ids = conditions.filter(isOfKeys).flatMap(({ values }) => values);
  const owned = ids.every((id) => known.get(String(id))?.integratorId === caller.integratorId);
  return owned ? undefined : apiError('FORBIDDEN', 'apiKey: every key must be one of your own');
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function chainsToInclude(asked: string | undefined, caller: ApiKeyRow | null, chains: Chains): ChainId[] | ApiError {
  if (asked === undefined) return [];
  const uuids = commas('privateChainsToInclude', asked);
  if (uuids instanceof ApiError) return uuids;
  const granted = new Set(grantedChains(caller).map((uuid) => uuid.toLowerCase()));
  const included = new Set<string>();
  for (const uuid of uuids.map((one) => one.toLowerCase())) {
    if (!UUID.test(uuid)) return invalidRequest('privateChainsToInclude', 'must be UUIDs separated by commas');
    if (!granted.has(uuid)) return apiError('FORBIDDEN', 'privateChainsToInclude: the key was not granted this chain');
    included.add(uuid);
  }
  return [...chains.values()]
    .filter(({ facts }) => facts.private !== undefined && included.has(facts.private.toLowerCase()))
    .map(({ facts }) => facts.id);
}
