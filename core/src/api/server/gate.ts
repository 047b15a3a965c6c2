import type { Context } from 'koa';
import { type ApiError, apiError } from '../../errors/api-error.js';
import { type KeyLookup, refuseScope, sameSecret } from '../keys.js';
import { authorityOf } from '../plugins/principals.js';
import { type Crowd, type RateLimits, rateHeaders, type Tier } from '../rate-limits.js';
import type { Answer, Caller, RateGroup, Route } from '../route.js';
import { type ClientAddress, networkOf, widerNetworksOf } from './client-address.js';

export interface GateDeps {
  readonly address: ClientAddress;
  readonly keys: KeyLookup;
  readonly limits: RateLimits;
  readonly adminKey: string | null;
  readonly overloaded: () => boolean;
}

/** What of a route the gate regards. */
export type Gated = Pick<Route, 'rate' | 'access' | 'scope' | 'isStream' | 'limited'>;

/** Checks load, then rate by key, else by address, then access. */
export type Gate = (route: Gated, context: Context) => Promise<Caller | Answer | ApiError>;

/** Retry-After in seconds under overload. */
const OVERLOAD_RETRY_S = 1;

export function createGate(deps: GateDeps): Gate {
  return async (route, context) => {
    // Health, metrics and operators must work under overload.
    if (route.rate !== 'free' && !route.isStream && deps.overloaded()) {
      context.set('Retry-After', OVERLOAD_RETRY_S.toString());
      return apiError('SERVICE_UNAVAILABLE', 'The service has too much to do, try again');
    }
    const address = deps.address.of(context.req);
    const authority = authorityOf(context.req);
    const isOperator = () => (authority ? authority.isOperator : hasAdminKey(deps, context));
    if (route.access === 'admin' && authority?.key) return apiError('FORBIDDEN', 'This is for operators');
    if (route.access === 'admin') return operator(deps, route, context, { address, key: null, isOperator });
    const given = authority ? undefined : givenKey(route, context);
    const key = authority?.key ?? (given === undefined ? null : await deps.keys(given));
    const isCounted = key === null || !route.isStream;
    const limited =
      isCounted && limit(deps, context, route, key?.tier ?? 'default', countedFor(route.rate, key), address);
    if (limited) return limited;
    if (given !== undefined && key === null) return apiError('UNAUTHORIZED', 'The API key is not valid');
    const lacking = key && route.scope ? refuseScope(key, route.scope) : undefined;
    if (lacking) return lacking;
    return { address, key, isOperator };
  };
}

function givenKey(route: Gated, context: Context): string | undefined {
  return header(context, 'x-api-key') ?? (route.isStream ? keyInQuery(context) : undefined);
}

export function partyOf(key: Caller['key'], address: string): string {
  return key ? `key:${key.id}` : `ip:${networkOf(address)}`;
}

/** The networks around the caller's own. None for a key, which is one caller from any address. */
export function crowdsOf(key: Caller['key'], address: string): readonly Crowd[] {
  return key ? [] : widerNetworksOf(address).map(({ network, times }) => ({ party: `ip:${network}`, times }));
}

/** Status polling counts by address even with a key, because browsers of end users poll. Wrong keys count as none. */
function countedFor(rate: RateGroup, key: Caller['key']): Caller['key'] {
  return rate === 'status' ? null : key;
}

function operator(deps: GateDeps, route: Gated, context: Context, caller: Caller): Caller | Answer | ApiError {
  if (caller.isOperator()) return caller;
  // Only failures count: guessing is slow, and operators are not limited.
  const guesses = { ...route, rate: 'other' } as const;
  const limited = limit(deps, context, guesses, 'default', null, caller.address, 'admin ');
  if (limited) return limited;
  return apiError('UNAUTHORIZED', deps.adminKey === null ? 'No admin key is configured' : 'The admin key is required');
}

function hasAdminKey({ adminKey }: GateDeps, context: Context): boolean {
  const given = header(context, 'x-admin-key') ?? bearer(context);
  return adminKey !== null && given !== undefined && sameSecret(given, adminKey);
}

function limit(
  deps: GateDeps,
  context: Context,
  { rate, limited }: Gated,
  tier: Tier,
  key: Caller['key'],
  address: string,
  purpose = '',
): Answer | ApiError | undefined {
  const crowds = crowdsOf(key, address).map(({ party, times }) => ({ party: purpose + party, times }));
  const standing = deps.limits(rate, tier, purpose + partyOf(key, address), crowds);
  if (standing === null) return undefined;
  const headers = rateHeaders(rate, standing);
  context.res.setHeader('RateLimit-Policy', headers['RateLimit-Policy']);
  context.res.setHeader('RateLimit', headers.RateLimit);
  if (standing.allowed) return undefined;
  if (limited) return limited();
  context.set('Retry-After', standing.resetIn.toString());
  return apiError('RATE_LIMITED', `Too many requests, try again in ${standing.resetIn} s`);
}

/** Browsers cannot set headers on event streams. */
function keyInQuery({ query }: Context): string | undefined {
  const { apiKey } = query;
  return typeof apiKey === 'string' && apiKey !== '' ? apiKey : undefined;
}

function header(context: Context, name: string): string | undefined {
  const value = context.req.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function bearer(context: Context): string | undefined {
  const match = /^Bearer\s+(\S+)$/i.exec(context.req.headers.authorization ?? '');
  return match?.[1];
}
