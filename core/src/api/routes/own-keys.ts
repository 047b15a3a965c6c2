import type { ApiKeyRow } from '../../contract/store-rows.js';
import { ApiError, apiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { absentKey, createKeyDirectory, notNow } from '../key-directory.js';
import type { KeyUses } from '../key-uses.js';
import { keyView } from '../key-view.js';
import { grantedChains, keyState, SCOPES, scopesOf } from '../keys.js';
import { type Caller, type DocumentedError, ok, type Route, route } from '../route.js';
import { flag, list, object } from '../schema.js';
import { API_KEY, KEY_ID, OVERLAP, OVERLAP_S, SECRET } from '../schemas/keys.js';

type Deps = Pick<ApiDeps, 'store' | 'clock' | 'random' | 'policy'> & { readonly keyUses: Pick<KeyUses, 'read'> };

const shared = { tags: ['Keys'], rate: 'other', access: 'open' } as const;
const MIN_AGE_MS = 600_000;
const ERRORS: readonly DocumentedError[] = ['FORBIDDEN', ['INVALID_REQUEST', 404], ['INVALID_REQUEST', 409]];

/**
 * What an integrator does with its own keys.
 *
 * Invariant: nothing here gives a caller a right that its key has not, and keys of others do not exist.
 */
export function ownKeyRoutes(deps: Deps): readonly Route[] {
  const { store, clock, keyUses } = deps;
  const directory = createKeyDirectory({ ...deps, network: deps.policy.network });
  const shown = async (rows: readonly ApiKeyRow[]) => {
    const uses = await keyUses.read();
    return rows.map((row) => keyView(row, clock.now(), uses));
  };
  return [
    route({
      ...shared,
      ...{ method: 'GET', path: '/keys', operationId: 'ownKeys', summary: 'List the keys of the own integrator' },
      description:
        'Also those that are expired or revoked, never their secrets. For keys with every scope. `lastUsedAt` may be a minute old.',
      answers: { 200: object({ keys: list(API_KEY) }) },
      errors: ['FORBIDDEN'],
      handle: async ({ caller }) => {
        const key = managing(caller);
        return key instanceof ApiError ? key : ok({ keys: await shown(await store.apiKeysOf(key.integratorId)) });
      },
    }),
    route({
      ...shared,
      ...{ method: 'POST', path: '/keys/rotate', operationId: 'rotateOwnKey' },
      summary: 'Replace an own key, with a time in which both are accepted',
      description:
        'For keys with every scope, which may replace keys with no more rights than their own. The old one is accepted for the overlap, by default a day. ' +
        'The new one can be rotated again once the old one has ended, and ten minutes after it was made; it ends no later than the key of this call.',
      body: object({ keyId: KEY_ID }, { overlapSeconds: OVERLAP }),
      answers: { 200: object({ key: API_KEY, secret: SECRET, replaced: API_KEY }) },
      errors: ERRORS,
      handle: async ({ caller, body: { keyId, overlapSeconds = OVERLAP_S } }) => {
        const key = managing(caller);
        if (key instanceof ApiError) return key;
        const made = await directory.rotate(keyId, overlapSeconds * 1000, {
          refuse: (row, replaced, now) => refusal(key, row) ?? tooSoon(row, replaced, now),
          endsBy: key.expiresAt,
        });
        if (made instanceof ApiError) return made;
        const [view, replaced] = await shown([made.row, made.old]);
        return ok({ key: view, secret: made.secret, replaced });
      },
    }),
    route({
      ...shared,
      ...{
        method: 'POST',
        path: '/keys/revoke',
        operationId: 'revokeOwnKey',
        summary: 'Revoke an own key permanently',
      },
      description:
        'For keys with every scope. It is refused within ten seconds, and its websockets are closed. A key may revoke itself. It cannot be undone.',
      body: object({ keyId: KEY_ID }),
      answers: { 200: object({ key: API_KEY, alreadyDone: flag() }) },
      errors: ERRORS,
      handle: async ({ caller, body: { keyId } }) => {
        const key = managing(caller);
        if (key instanceof ApiError) return key;
        const done = await directory.revoke(keyId, (row) => refusal(key, row));
        if (done instanceof ApiError) return done;
        const [view] = await shown([done.row]);
        return ok({ key: view, alreadyDone: done.before });
      },
    }),
  ];
}

function managing({ key }: Caller): ApiKeyRow | ApiError {
  if (key === null) return apiError('UNAUTHORIZED');
  // guard: own-keys-scope
  return hasEveryScope(key) ? key : apiError('FORBIDDEN', 'Only a key with every scope manages keys');
}

function hasEveryScope(key: ApiKeyRow): boolean {
  const scopes = scopesOf(key);
  return scopes.includes('*') || SCOPES.every((scope) => scopes.includes(scope));
}

function refusal(by: ApiKeyRow, of: ApiKeyRow): ApiError | undefined {
  // guard: own-keys-owner
  if (of.integratorId !== by.integratorId) return absentKey();
  // guard: own-keys-rights
  if (!covers(by, of)) return apiError('FORBIDDEN', 'The key has rights that the API key of this call lacks');
  return undefined;
}

/**
 * What is limited per key is counted by its id: rotated again and again, a key would have any multiple of its rates and of
 * what is reserved for it at fixed rates.
 */
function tooSoon(
  { replacedBy, createdAt }: ApiKeyRow,
  replaced: ApiKeyRow | undefined,
  now: number,
): ApiError | undefined {
  // A rotated key is refused as such.
  if (replaced === undefined || replacedBy !== null) return undefined;
  // guard: own-keys-one-overlap
  if (keyState(replaced, now) === 'active') return notNow(`${replaced.id}, which it replaces, is accepted still`);
  const waitS = Math.ceil((createdAt + MIN_AGE_MS - now) / 1_000);
  // guard: own-keys-age
  return waitS > 0 ? notNow(`the key was made by a rotation just now: rotate it in ${waitS} s`) : undefined;
}

function covers(by: ApiKeyRow, of: ApiKeyRow): boolean {
  const everything = scopesOf(by).includes('*') || !scopesOf(of).includes('*');
  const granted = new Set(grantedChains(by).map((uuid) => uuid.toLowerCase()));
  const chains = grantedChains(of).every((uuid) => granted.has(uuid.toLowerCase()));
  return everything && chains && (by.tier === 'elevated' || of.tier === 'default');
}
