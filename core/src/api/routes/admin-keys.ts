import type { ApiKeyRow, IntegratorRow } from '../../contract/store-rows.js';
import { ApiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { createKeyDirectory, type NewKey, type Rights } from '../key-directory.js';
import type { KeyUses } from '../key-uses.js';
import { keyView } from '../key-view.js';
import { SCOPES } from '../keys.js';
import { type Answer, type DocumentedError, ok, type Route, route } from '../route.js';
import { flag, integer, list, nullable, object, oneOf, type Schema, type Shape, text } from '../schema.js';
import { API_KEY, KEY_ID as ID, INTEGRATOR, OVERLAP, OVERLAP_S, SECRET } from '../schemas/keys.js';
import { described } from './operator-words.js';

const DAY_S = 86_400;

const NAME = text({ minLength: 1, maxLength: 100 });
const ADDRESS = text({ minLength: 1, maxLength: 200 });
const SCOPE_LIST = list(oneOf([...SCOPES, '*']), { minItems: 1, uniqueItems: true });
const TIER = oneOf(['default', 'elevated']);
const CHAIN_LIST = list(text({ maxLength: 100 }), { maxItems: 1000 });

/** A secret appears only in the answer that creates it. */
export function adminKeyRoutes(
  deps: Pick<ApiDeps, 'store' | 'clock' | 'random' | 'policy' | 'chains'> & {
    readonly keyUses: Pick<KeyUses, 'read'>;
  },
): readonly Route[] {
  const { store, clock, chains, keyUses } = deps;
  const directory = createKeyDirectory({ ...deps, network: deps.policy.network });
  const viewer = async () => {
    const uses = await keyUses.read();
    return (row: ApiKeyRow) => keyView(row, clock.now(), uses);
  };
  const viewed = async (row: ApiKeyRow) => (await viewer())(row);
  const shown = async ({ row, secret }: NewKey) => ({ key: await viewed(row), secret });
  const privateChains = new Set([...chains.values()].flatMap(({ facts }) => facts.private ?? []));

  /** Funding addresses are stored in canonical form, so that spellings of one address are equal. */
  const canonical = (address: string): string | ApiError => {
    for (const chain of chains.values()) {
      const parsed = chain.parseAddress(address);
      if (parsed.ok) return parsed.value;
    }
    return invalidRequest('fundingAddress', 'is not an address of any configured chain');
  };
  const unknownChain = (uuids: readonly string[] = []): ApiError | undefined => {
    const unknown = uuids.find((uuid) => !privateChains.has(uuid));
    return unknown === undefined ? undefined : invalidRequest('privateChains', `no private chain is ${unknown}`);
  };

  return [
    read('/admin/integrators', 'adminIntegrators', 'List integrators', { integrators: list(INTEGRATOR) }, async () => ({
      integrators: (await store.integrators()).map(integratorView),
    })),
    command(
      '/admin/integrators',
      'adminAddIntegrator',
      'Add an integrator',
      object({ name: NAME }, { fundingAddress: nullable(ADDRESS) }),
      { integrator: INTEGRATOR },
      async ({ name, fundingAddress }) => {
        const address = fundingAddress ? canonical(fundingAddress) : null;
        if (address instanceof ApiError) return address;
        return answered(await directory.addIntegrator(name, address), (row) => ({ integrator: integratorView(row) }));
      },
    ),
    command(
      '/admin/integrators/link',
      'adminLinkIntegrator',
      'Link or unlink the funding address of an integrator',
      object({ integratorId: ID, fundingAddress: nullable(ADDRESS) }),
      { integrator: INTEGRATOR },
      async ({ integratorId, fundingAddress }) => {
        const address = fundingAddress === null ? null : canonical(fundingAddress);
        if (address instanceof ApiError) return address;
        return answered(await directory.link(integratorId, address), (row) => ({ integrator: integratorView(row) }));
      },
    ),
    listKeys(async (integratorId) => {
      const rows = integratorId === undefined ? await store.apiKeys() : await store.apiKeysOf(integratorId);
      return rows.map(await viewer());
    }),
    command(
      '/admin/keys',
      'adminCreateKey',
      'Make a key',
      object(
        { integratorId: ID },
        {
          name: nullable(NAME),
          scopes: SCOPE_LIST,
          tier: TIER,
          privateChains: CHAIN_LIST,
          expiresInSeconds: integer({ minimum: 1, maximum: 100 * 365 * DAY_S }),
        },
      ),
      { key: API_KEY, secret: SECRET },
      async ({ integratorId, name = null, scopes = ['*'], tier = 'default', privateChains = [], expiresInSeconds }) => {
        const unknown = unknownChain(privateChains);
        if (unknown) return unknown;
        const rights = { scopes, tier, privateChains: unique(privateChains) };
        const lifeMs = expiresInSeconds === undefined ? null : expiresInSeconds * 1000;
        return answered(await directory.create({ integratorId, name, rights, lifeMs }), shown);
      },
    ),
    command(
      '/admin/keys/rotate',
      'adminRotateKey',
      'Replace a key, with a time in which both are accepted',
      object({ keyId: ID }, { overlapSeconds: OVERLAP }),
      { key: API_KEY, secret: SECRET, replaced: API_KEY },
      async ({ keyId, overlapSeconds = OVERLAP_S }) =>
        answered(await directory.rotate(keyId, overlapSeconds * 1000), async (made) => ({
          ...(await shown(made)),
          replaced: await viewed(made.old),
        })),
    ),
    command(
      '/admin/keys/revoke',
      'adminRevokeKey',
      'Revoke a key permanently',
      object({ keyId: ID }),
      { key: API_KEY, alreadyDone: flag() },
      async ({ keyId }) =>
        answered(await directory.revoke(keyId), async ({ row, before }) => ({
          key: await viewed(row),
          alreadyDone: before,
        })),
    ),
    command(
      '/admin/keys/grant',
      'adminGrantKey',
      'Change what a key may do',
      object({ keyId: ID }, { scopes: SCOPE_LIST, tier: TIER, privateChains: CHAIN_LIST, withdraw: CHAIN_LIST }),
      { key: API_KEY },
      async ({ keyId, scopes, tier, privateChains = [], withdraw = [] }) => {
        const unknown = unknownChain(privateChains);
        if (unknown) return unknown;
        const change = (now: Rights): Rights => ({
          scopes: scopes ?? now.scopes,
          tier: tier ?? now.tier,
          privateChains: unique([...now.privateChains, ...privateChains]).filter((uuid) => !withdraw.includes(uuid)),
        });
        return answered(await directory.grant(keyId, change), async (row) => ({ key: await viewed(row) }));
      },
    ),
  ];
}

function integratorView({ id, name, fundingAddress, createdAt }: IntegratorRow) {
  return { id, name, fundingAddress, createdAt };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

async function answered<T>(result: T | ApiError, body: (result: T) => unknown): Promise<Answer | ApiError> {
  return result instanceof ApiError ? result : ok(await body(result as T));
}

const NOT_FOUND: DocumentedError = ['INVALID_REQUEST', 404];
/** The key is revoked, expired or replaced. */
const NOT_NOW: DocumentedError = ['INVALID_REQUEST', 409];
const COMMON = { rate: 'free', access: 'admin', tags: ['Keys'] } as const;

function read(
  path: string,
  operationId: string,
  summary: string,
  answer: Readonly<Record<string, Schema>>,
  run: () => Promise<unknown>,
): Route {
  const answers = { 200: object(answer) };
  return route({
    ...{ method: 'GET', path, operationId, summary, ...described(operationId), ...COMMON },
    answers,
    handle: async () => ok(await run()),
  });
}

function listKeys(run: (integratorId?: string) => Promise<unknown>): Route {
  return route<{ readonly integratorId?: string }>({
    ...{ method: 'GET', path: '/admin/keys', operationId: 'adminKeys', summary: 'List keys, never their secrets' },
    ...described('adminKeys'),
    ...COMMON,
    query: object({}, { integratorId: ID }),
    answers: { 200: object({ keys: list(API_KEY) }) },
    handle: async ({ query }) => ok({ keys: await run(query.integratorId) }),
  });
}

function command<Body>(
  path: string,
  operationId: string,
  summary: string,
  body: Shape<Body>,
  answer: Readonly<Record<string, Schema>>,
  run: (body: Body) => Promise<Answer | ApiError>,
): Route {
  return route<unknown, Body>({
    ...{ method: 'POST', path, operationId, summary, ...described(operationId), ...COMMON, body },
    answers: { 200: object(answer) },
    errors: [NOT_FOUND, NOT_NOW],
    handle: ({ body: given }) => run(given),
  });
}
