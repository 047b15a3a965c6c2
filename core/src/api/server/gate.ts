import type { Context } from 'koa';
import { type ApiError, apiError } from '../../errors/api-error.js';
import { type KeyLookup, sameSecret } from '../keys.js';
import type { RateLimits } from '../rate-limits.js';
import type { Caller, Route } from '../route.js';
import type { ClientAddress } from './client-address.js';

export interface GateDeps {
  readonly address: ClientAddress;
  readonly keys: KeyLookup;
  readonly limits: RateLimits;
  readonly adminKey: string | null;
}

/** Lets a request through to its route, or says why not: rate by key, else by address; then access. */
export type Gate = (route: Route, context: Context) => Promise<Caller | ApiError>;

export function createGate(deps: GateDeps): Gate {
  return async (route, context) => {
    const address = deps.address.of(context.req);
    const isLocal = () => deps.address.isLocal(context.req);
    if (route.access !== 'open') return operator(deps, route, context, { address, key: null, isLocal });
    const given = header(context, 'x-api-key');
    const key = given === undefined ? null : await deps.keys(given);
    const rejected = given !== undefined && key === null;
    const limited = await limit(deps, context, route.rate, rejected || !key ? `ip:${address}` : `key:${key.id}`);
    if (limited) return limited;
    return rejected ? apiError('UNAUTHORIZED', 'The API key is not valid') : { address, key, isLocal };
  };
}

async function operator(deps: GateDeps, route: Route, context: Context, caller: Caller): Promise<Caller | ApiError> {
  if (route.access === 'local' && caller.isLocal()) return caller;
  const given = header(context, 'x-admin-key') ?? bearer(context);
  if (deps.adminKey !== null && given !== undefined && sameSecret(given, deps.adminKey)) return caller;
  // Only failures count, so that guessing is slow and an operator never is.
  const limited = await limit(deps, context, 'other', `admin:${caller.address}`);
  if (limited) return limited;
  return apiError('UNAUTHORIZED', deps.adminKey === null ? 'No admin key is configured' : 'The admin key is required');
}

async function limit(
  deps: GateDeps,
  context: Context,
  rate: Route['rate'],
  caller: string,
): Promise<ApiError | undefined> {
  const wait = await deps.limits(rate, caller);
  if (wait === null) return undefined;
  context.set('Retry-After', wait.toString());
  return apiError('RATE_LIMITED', `Too many requests, try again in ${wait} s`);
}

function header(context: Context, name: string): string | undefined {
  const value = context.req.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function bearer(context: Context): string | undefined {
  const match = /^Bearer\s+(\S+)$/i.exec(context.req.headers.authorization ?? '');
  return match?.[1];
}
