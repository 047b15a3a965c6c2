import {
  ApiError,
  apiError,
  type Clock,
  type Identity,
  invalidRequest,
  type PluginAnswer,
  type PluginCall,
  type PluginRoute,
} from '@causeway/core';
import { isOfThisOrigin, standingOf } from './access.js';
import { sessionCookie } from './cookie.js';
import type { Links } from './links.js';
import type { Session, Sessions } from './sessions.js';
import type { Tries } from './tries.js';

export interface SessionDeps {
  readonly sessions: Sessions;
  readonly links: Links;
  readonly tries: Tries;
  readonly clock: Pick<Clock, 'now'>;
  readonly isLocal: boolean;
}

const MAX_KEY_LENGTH = 512;

/** Signing in, who is signed in, signing out, and one-time links for admins. */
export function sessionRoutes(deps: SessionDeps): readonly PluginRoute[] {
  const { sessions, links } = deps;
  return [
    { method: 'POST', path: '/session', access: 'open', handle: (call) => signIn(deps, call) },
    { method: 'GET', path: '/session', access: 'open', handle: (call) => whoIs(deps, call) },
    {
      method: 'DELETE',
      path: '/session',
      access: 'open',
      handle: async (call) => {
        const standing = await standingOf(call, sessions);
        if (standing.kind === 'open' && call.query.get('everywhere') === '1')
          await sessions.endAll(call.records, standing.session.principal);
        else if (standing.kind === 'open') await sessions.end(call.records, standing.token, standing.session);
        return { status: 204, headers: forget(deps), body: '' };
      },
    },
    {
      method: 'POST',
      path: '/session/link',
      access: 'admin',
      handle: async ({ records }) => {
        const { token, expiresAt } = await links.make(records);
        // After the number sign: browsers send it to no server.
        return { json: { path: `/dashboard/#link=${token}`, expiresAt } };
      },
    },
  ];
}

async function signIn(deps: SessionDeps, call: PluginCall): Promise<PluginAnswer> {
  const { sessions, tries } = deps;
  if (!isOfThisOrigin(call)) throw apiError('FORBIDDEN', 'Another site may not do this');
  const given = givenIn(await call.json());
  const waitS = tries.waitS(call.network);
  // guard: dashboard-tries
  if (waitS > 0) throw tooMany(waitS);
  const identity = await identified(deps, call, given);
  if (identity === undefined) {
    tries.failed(call.network);
    throw apiError('UNAUTHORIZED', given.key === undefined ? 'The link is not valid any more' : 'The key is not valid');
  }
  const { token, session } = await sessions.begin(call.records, identity);
  const maxAgeS = Math.max(1, Math.floor((session.expiresAt - deps.clock.now()) / 1_000));
  return { headers: { 'Set-Cookie': sessionCookie(token, maxAgeS, !deps.isLocal) }, json: view(session) };
}

function tooMany(seconds: number): ApiError {
  const message = `Too many failed tries, try again in ${seconds} s`;
  return new ApiError('RATE_LIMITED', message, undefined, undefined, undefined, undefined, seconds);
}

interface Given {
  readonly key?: string;
  readonly link?: string;
}

function givenIn(body: unknown): Given {
  const { key, link } = (body ?? {}) as { readonly key?: unknown; readonly link?: unknown };
  const isText = (value: unknown): value is string =>
    typeof value === 'string' && value.length > 0 && value.length <= MAX_KEY_LENGTH;
  if (key !== undefined && link !== undefined) throw invalidRequest('link', 'is instead of a key');
  if (link !== undefined) {
    if (!isText(link)) throw invalidRequest('link', `must be a text of 1 to ${MAX_KEY_LENGTH} characters`);
    return { link };
  }
  if (!isText(key)) throw invalidRequest('key', `must be a text of 1 to ${MAX_KEY_LENGTH} characters`);
  return { key };
}

async function identified({ links }: SessionDeps, { principals, records }: PluginCall, { key, link }: Given) {
  if (key !== undefined) return principals.identify(key);
  return (await links.use(records, link)) ? principals.standing({ role: 'admin' }) : undefined;
}

async function whoIs({ sessions }: SessionDeps, call: PluginCall): Promise<PluginAnswer> {
  const standing = await standingOf(call, sessions);
  if (standing.kind !== 'open') throw apiError('UNAUTHORIZED', 'Sign in');
  const { principal } = standing.session;
  const now: Identity | undefined = await call.principals.standing(principal);
  if (now === undefined) {
    await sessions.endAll(call.records, principal);
    throw apiError('UNAUTHORIZED', 'The key of this session is no longer valid');
  }
  return { json: view({ ...standing.session, name: now.name }) };
}

function view({ principal, name, csrf, expiresAt }: Session) {
  const keyId = principal.role === 'admin' ? null : principal.keyId;
  return { role: principal.role, keyId, name, csrf, expiresAt };
}

function forget({ isLocal }: SessionDeps) {
  return { 'Set-Cookie': sessionCookie('', 0, !isLocal) };
}
