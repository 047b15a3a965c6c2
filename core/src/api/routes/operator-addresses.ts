import { addressDetail } from '../../capabilities/deposit-addresses/address-detail.js';
import { watchAgain } from '../../capabilities/deposit-addresses/again.js';
import { type AddressName, findAddress } from '../../capabilities/deposit-addresses/find-address.js';
import { heldAt } from '../../capabilities/deposit-addresses/held-at.js';
import { type AddressFilter, listAddresses } from '../../capabilities/deposit-addresses/list-addresses.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { AddressRow } from '../../contract/deposit-addresses.js';
import type { RequestId } from '../../contract/ids.js';
import { isHex } from '../../domain/hex.js';
import { ApiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { readCursor, writeCursor } from '../listing/cursor.js';
import { type Answer, type DocumentedError, ok, type Route, route } from '../route.js';
import { flag, integer, object, text } from '../schema.js';
import * as schemas from '../schemas/operator-addresses.js';
import { described } from './operator-words.js';
import { refusal } from './refusal.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'clock' | 'engine'>;

const shared = { tags: ['Operators'], rate: 'free', access: 'admin' } as const;

const NOT_FOUND: DocumentedError = ['INVALID_REQUEST', 404];
const NOT_NOW: DocumentedError = ['INVALID_REQUEST', 409];

/** Deposit addresses of all callers. `/admin/addresses/recover` is an operator command. */
export function operatorAddressRoutes(deps: Deps): readonly Route[] {
  return [listRoute(deps), detailRoute(deps), againRoute(deps), sweepRoute(deps)];
}

const LIST_QUERY = object(
  {},
  {
    chainId: schemas.ADDRESS_NAME.chainId,
    keyId: text({ minLength: 1, maxLength: 100, description: 'API key that requested it; `none`: no key.' }),
    integratorId: text({ minLength: 1, maxLength: 100, description: 'Any key of this integrator.' }),
    hot: flag({ description: 'Only addresses that are polled with every block.' }),
    unswept: flag({ description: 'Only addresses with a transfer that is not swept yet.' }),
    limit: integer({ minimum: 1, maximum: 200, default: 50 }),
    continuation: text({ minLength: 1, maxLength: 1_024, description: 'From the page before.' }),
  },
);

function listRoute({ store, chains, clock }: Deps): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/admin/addresses',
    operationId: 'adminAddresses',
    summary: 'List deposit addresses',
    ...described('adminAddresses'),
    query: LIST_QUERY,
    answers: { 200: schemas.ADDRESS_PAGE },
    handle: async ({ query }) => {
      const { chainId, keyId, integratorId, hot = false, unswept = false, limit = 50, continuation } = query;
      if (chainId !== undefined && !chains.has(chainId))
        return invalidRequest('chainId', `chain ${chainId} is not configured`);
      const of = JSON.stringify(['addresses', chainId, keyId, integratorId, hot, unswept]);
      const cursor = continuation === undefined ? undefined : readCursor(continuation, of);
      if (cursor instanceof ApiError) return cursor;
      const after = cursor && { chainId: Number(cursor.after.id), position: cursor.after.value ?? 0 };
      const keyIds = await keysOf(store, keyId, integratorId);
      const filter: AddressFilter = {
        ...(chainId === undefined ? {} : { chainId }),
        ...(keyIds === undefined ? {} : { keyIds }),
        ...{ hot, unswept },
      };
      const { addresses, next } = await listAddresses({ store, chains, clock }, filter, limit, after);
      const place = next && { value: next.position, id: String(next.chainId) };
      return ok({ addresses, ...(place ? { continuation: writeCursor({ after: place }, of) } : {}) });
    },
  });
}

async function keysOf(
  store: Deps['store'],
  keyId: string | undefined,
  integratorId: string | undefined,
): Promise<AddressFilter['keyIds']> {
  const named = keyId === undefined ? undefined : [keyId === 'none' ? null : keyId];
  if (integratorId === undefined) return named;
  const own = (await store.apiKeysOf(integratorId)).map(({ id }) => id);
  return named === undefined ? own : named.filter((id) => id !== null && own.includes(id));
}

function detailRoute(deps: Deps): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/admin/addresses/details',
    operationId: 'adminAddress',
    summary: 'All about a deposit address',
    ...described('adminAddress'),
    query: object({}, schemas.ADDRESS_NAME),
    answers: { 200: schemas.ADDRESS_DETAIL },
    errors: [NOT_FOUND],
    handle: ({ query }) => onAddress(deps, query, async (chain, row) => ok(await addressDetail(deps, chain, row))),
  });
}

function againRoute(deps: Deps): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/admin/addresses/reindex',
    operationId: 'adminReindexAddress',
    summary: 'Watch a deposit address with every block again',
    ...described('adminReindexAddress'),
    body: object({}, schemas.ADDRESS_NAME),
    answers: { 200: schemas.ADDRESS_AGAIN },
    errors: [NOT_FOUND],
    handle: ({ body }) =>
      onAddress(deps, body, async (chain, row) => {
        const { chainId, address } = row;
        await watchAgain(deps, row);
        const held = await heldAt(chain, address);
        const balances = held.map(({ currency, balance }) => ({
          ...{ currency: currency.address, symbol: currency.symbol },
          balance: balance === null ? null : balance.toString(),
        }));
        return ok({ chainId, address, balances });
      }),
  });
}

function sweepRoute(deps: Deps): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/admin/addresses/sweep',
    operationId: 'adminSweepAddress',
    summary: 'Sweep a deposit address now',
    ...described('adminSweepAddress'),
    body: object({}, schemas.ADDRESS_NAME),
    answers: { 200: schemas.SWEEP_OUTCOME },
    errors: [NOT_FOUND, NOT_NOW],
    handle: ({ body }) =>
      onAddress(deps, body, async (_chain, { chainId, address }) => {
        const outcome = await deps.engine.sweepAddress(chainId, address);
        return outcome.ok ? ok(outcome) : refusal(fieldOf(body), outcome);
      }),
  });
}

type Named = Omit<AddressName, 'requestId'> & { readonly requestId?: string };

async function onAddress(
  { store, chains }: Deps,
  named: Named,
  run: (chain: ChainAdapter, row: AddressRow) => Promise<Answer | ApiError>,
): Promise<Answer | ApiError> {
  const { requestId: text, ...rest } = named;
  const requestId = text?.toLowerCase();
  if (requestId !== undefined && !isHex(requestId, 32))
    return invalidRequest('requestId', 'must be 0x and 64 hex digits');
  const name = { ...rest, ...(requestId === undefined ? {} : { requestId: requestId as RequestId }) };
  const row = await findAddress({ store, chains }, name);
  if ('ok' in row) return refusal(fieldOf(named), row);
  const chain = chains.get(row.chainId);
  if (chain === undefined) return invalidRequest('chainId', `chain ${row.chainId} is not configured`);
  return run(chain, row);
}

function fieldOf({ requestId }: Named): string {
  return requestId === undefined ? 'address' : 'requestId';
}
