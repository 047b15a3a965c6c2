import { balanceEventView, balanceView } from '../../capabilities/sponsorship/views.js';
import type { BalanceEventFilter, BalanceEventRow } from '../../contract/store-rows.js';
import { apiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { hashKey } from '../key-format.js';
import { keyState, refuseScope } from '../keys.js';
import { readCursor, writeCursor } from '../listing/cursor.js';
import { type Call, ok, type Route, route } from '../route.js';
import { integer, object, oneOf, text } from '../schema.js';
import { BALANCE_EVENTS } from '../schemas/app-balance.js';
import { spellings } from './app-fees.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'clock'>;

const SHORT_TEXT = text({ maxLength: 256 });
const QUERY = object(
  {},
  {
    id: text({ maxLength: 512, description: 'An API key of the integrator, instead of the header.' }),
    chainId: integer({ minimum: 1 }),
    currency: SHORT_TEXT,
    context: oneOf(['deposit', 'sponsorship', 'credit', 'debit', 'withdrawal']),
    requestId: SHORT_TEXT,
    limit: integer({ minimum: 1, maximum: 250, default: 50 }),
    cursor: text({ maxLength: 1_024, description: 'For the next page: the `continuation` of this one.' }),
    continuation: text({ maxLength: 1_024, description: 'The same, by the name that other listings have for it.' }),
    includeNegativeBalances: text({ maxLength: 8, description: 'Without effect: no balance is negative.' }),
  },
);

interface Asked {
  readonly chainId?: number;
  readonly currency?: string;
  readonly requestId?: string;
  readonly id?: string;
  readonly context?: BalanceEventRow['kind'];
  readonly limit?: number;
  readonly cursor?: string;
  readonly continuation?: string;
}

export function balanceEventsRoute(deps: Deps): Route {
  return route({
    ...{ method: 'GET', path: '/balance-events/:wallet', operationId: 'balanceEvents', tags: ['Transactions'] },
    summary: 'History of an app balance',
    description: 'Changes of the balance that is funded from the wallet, newest first. Needs a key of its integrator.',
    ...{ rate: 'other', access: 'open' },
    params: { wallet: text({ maxLength: 256, description: 'The funding address, in any spelling.' }) },
    query: QUERY,
    answers: { 200: BALANCE_EVENTS },
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
    handle: ({ params, query, caller }) => events(deps, params['wallet'] ?? '', query as Asked, caller),
  });
}

async function events(deps: Deps, wallet: string, asked: Asked, caller: Call['caller']) {
  const { store, chains, clock } = deps;
  const { id, context, limit = 50, chainId, currency, requestId } = asked;
  const named = id === undefined ? caller.key : await store.apiKeyByHash(hashKey(id));
  if (!named || keyState(named, clock.now()) !== 'active') return apiError('UNAUTHORIZED');
  const lacking = refuseScope(named, 'balance');
  // guard: balance-events-scope
  if (lacking) return lacking;
  const { integratorId } = named;
  const row = await store.integrator(integratorId);
  const address = row?.fundingAddress;
  // guard: own-balance-events
  if (!address || !spellings({ chains }, wallet).includes(address))
    return invalidRequest('wallet', 'is not the funding address of the integrator of the key');
  const filter: BalanceEventFilter = {
    ...(context === undefined ? {} : { kind: context }),
    ...(chainId === undefined ? {} : { chainId }),
    ...(currency === undefined ? {} : { currency: canonical(deps, chainId, currency) }),
    ...(requestId === undefined ? {} : { requestId: requestId.toLowerCase() as `0x${string}` }),
  };
  const of = `balance ${integratorId} ${JSON.stringify(filter)}`;
  const field = asked.cursor === undefined ? 'continuation' : 'cursor';
  const text = asked[field];
  const cursor = text === undefined ? undefined : readCursor(text, of, field);
  if (cursor && !('after' in cursor)) return cursor;
  const after = cursor && { createdAt: cursor.after.value ?? 0, id: cursor.after.id };
  const rows = await store.balanceEvents(integratorId, filter, limit + 1, after);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  return ok({
    wallet: address,
    balances: [{ currency: 'USD', ...(await balanceView(store, integratorId)) }],
    events: page.map(balanceEventView),
    ...(more ? { continuation: writeCursor({ after: { value: last.createdAt, id: last.id } }, of) } : {}),
  });
}

function canonical({ chains }: Deps, chainId: number | undefined, currency: string): string {
  const of = chainId === undefined ? [...chains.values()] : [chains.get(chainId)];
  return of.flatMap((chain) => chain?.currency(currency)?.address ?? [])[0] ?? currency;
}
