import { watchAgain } from '../../capabilities/deposit-addresses/again.js';
import { heldAt } from '../../capabilities/deposit-addresses/held-at.js';
import { addressId } from '../../capabilities/deposit-addresses/match.js';
import { requestOfAddress } from '../../capabilities/deposit-addresses/unwritten.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { AddressRow } from '../../contract/deposit-addresses.js';
import type { RequestRow } from '../../contract/store-rows.js';
import { isHex } from '../../domain/hex.js';
import type { QuoteBody } from '../../domain/quote.js';
import { ApiError, apiError, finalError, invalidRequest, laterError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { visibleChain, visibleChains } from '../catalog/visible-chains.js';
import { type Answer, type Caller, ok, type Route, route } from '../route.js';
import { integer, list, named, nullable, object, oneOf, text } from '../schema.js';
import { CHAIN_ID, REQUEST_ID } from '../schemas/common.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'clock'>;

const ADDRESS = text({ minLength: 1, maxLength: 256, description: 'The deposit address, as its chain writes it.' });

const ANSWER = named(
  'DepositAddressDetails',
  object({
    depositAddress: text(),
    type: oneOf(['strict', 'open']),
    requestId: REQUEST_ID,
    chainId: CHAIN_ID,
    createdAt: text({ description: 'ISO 8601.' }),
    currency: nullable(text({ description: 'Quoted currency of the origin.' })),
    refundTo: nullable(text()),
  }),
);

const REINDEXED = named(
  'ReindexedDepositAddress',
  object({
    message: text(),
    triggeredCurrencies: list(
      object({
        currency: text(),
        symbol: text(),
        balance: text({ description: 'At the address now, smallest unit.' }),
      }),
    ),
    checkedCurrencies: integer({ minimum: 0 }),
    failedCurrencies: integer({ minimum: 0 }),
  }),
);

/** Minimum time between two commands for one address. Milliseconds. */
const MIN_LOOK_INTERVAL_MS = 60_000;
const MAX_REMEMBERED_LOOKS = 10_000;

export function depositAddressRoutes(deps: Deps): readonly Route[] {
  return [detailsRoute(deps), reindexRoute(deps)];
}

function detailsRoute({ store, chains }: Deps): Route {
  return route({
    method: 'GET',
    path: '/deposit-addresses/v1',
    operationId: 'depositAddresses',
    summary: 'A deposit address',
    description:
      'By its address or by the request that it was created for; only with the API key that requested the quote.',
    tags: ['Requests'],
    rate: 'other',
    access: 'open',
    query: object({}, { address: ADDRESS, requestId: text({ maxLength: 256 }) }),
    answers: { 200: ANSWER },
    errors: ['UNAUTHORIZED', 'REQUEST_NOT_FOUND'],
    handle: async ({ query, caller }) => {
      if (caller.key === null) return apiError('UNAUTHORIZED');
      const row = await find({ store, chains }, caller, query);
      if (row instanceof ApiError) return row;
      const request = row && (await requestOfAddress(store, row.salt));
      if (row === undefined || request === undefined || row.keyId !== caller.key.id)
        return apiError('REQUEST_NOT_FOUND', 'This API key asked for no such deposit address');
      return ok(detailsOf(row, request));
    },
  });
}

async function find(
  { store, chains }: Pick<Deps, 'store' | 'chains'>,
  caller: Caller,
  { address, requestId }: { readonly address?: string; readonly requestId?: string },
): Promise<AddressRow | ApiError | undefined> {
  if (requestId !== undefined) {
    const id = requestId.toLowerCase();
    if (!isHex(id, 32)) return invalidRequest('requestId', 'is not a request id');
    return (await store.addressesOf([id]))[0];
  }
  if (address === undefined) return invalidRequest('address', 'is needed, or `requestId`');
  const ids = visibleChains(chains, caller).flatMap((chain) => {
    const parsed = chain.parseAddress(address);
    return parsed.ok ? [addressId(chain.facts.id, parsed.value)] : [];
  });
  if (ids.length === 0) return invalidRequest('address', 'is no address of a served chain');
  return (await store.addresses(ids)).find(({ keyId }) => keyId === caller.key?.id);
}

function detailsOf({ address, type, chainId, createdAt }: AddressRow, { id, refundTo, body }: RequestRow) {
  const { origin } = JSON.parse(body) as QuoteBody;
  return {
    depositAddress: address,
    type,
    requestId: id,
    chainId,
    createdAt: new Date(createdAt).toISOString(),
    currency: origin.currency,
    refundTo,
  };
}

function reindexRoute(deps: Deps): Route {
  const looked = new Map<string, number>();
  return route({
    method: 'POST',
    path: '/transactions/deposit-address/reindex',
    operationId: 'reindexDepositAddress',
    summary: 'Look at a deposit address again',
    description:
      'Watches the address closely again, as after its quote, and says what it holds now. A transfer that is found there is ' +
      'handled as if it had just come. Once a minute for an address.',
    tags: ['Transactions'],
    rate: 'other',
    access: 'open',
    body: object({ chainId: CHAIN_ID, depositAddress: ADDRESS }),
    answers: { 200: REINDEXED },
    errors: ['UNSUPPORTED_CHAIN', 'REQUEST_NOT_FOUND', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
    handle: ({ body, caller }) => reindex(deps, looked, caller, body),
  });
}

async function reindex(
  { store, chains, clock }: Deps,
  looked: Map<string, number>,
  caller: Caller,
  { chainId, depositAddress }: { readonly chainId: number; readonly depositAddress: string },
): Promise<Answer | ApiError> {
  const chain = visibleChain(chains, caller, chainId);
  if (chain instanceof ApiError) return chain;
  const parsed = chain.parseAddress(depositAddress);
  if (!parsed.ok) return invalidRequest('depositAddress', parsed.reason);
  const id = addressId(chainId, parsed.value);
  const [row] = await store.addresses([id]);
  if (row === undefined) return finalError('REQUEST_NOT_FOUND', 'No such deposit address was issued');
  const now = clock.now();
  const left = (looked.get(id) ?? Number.NEGATIVE_INFINITY) + MIN_LOOK_INTERVAL_MS - now;
  if (left > 0)
    return laterError('RATE_LIMITED', 'The address was read within the last minute', Math.ceil(left / 1_000));
  if (looked.size >= MAX_REMEMBERED_LOOKS) looked.clear();
  looked.set(id, now);
  await watchAgain({ store, clock }, row);
  return ok(await balancesOf(chain, parsed.value));
}

async function balancesOf(chain: ChainAdapter, address: string) {
  const held = await heldAt(chain, address);
  const found = held.flatMap(({ currency, balance }) =>
    balance === null || balance === 0n
      ? []
      : [{ currency: currency.address, symbol: currency.symbol, balance: balance.toString() }],
  );
  return {
    message:
      found.length > 0
        ? 'The address is watched closely again'
        : 'The address holds nothing now; it is watched closely',
    triggeredCurrencies: found,
    checkedCurrencies: held.length,
    failedCurrencies: held.filter(({ balance }) => balance === null).length,
  };
}
