import { apiError, type PluginCall } from '@causeway/core';
import { tokenIn } from './cookie.js';
import { sameText } from './secrets.js';
import type { Session, Sessions } from './sessions.js';

export const CSRF_HEADER = 'x-causeway-csrf';

/** `none`: no cookie came. `ended`: it names no session, or more than one. */
export type Standing =
  | { readonly kind: 'none' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'open'; readonly token: string; readonly session: Session };

type Sent = Pick<PluginCall, 'headers' | 'method' | 'records'>;

/**
 * Whose session a call may use.
 *
 * @throws ApiError FORBIDDEN for an unsafe call that its own pages have not made.
 */
export async function standingOf(call: Sent, sessions: Pick<Sessions, 'find'>): Promise<Standing> {
  const isUnsafe = call.method !== 'GET';
  // guard: dashboard-same-origin
  if (!isOfThisOrigin(call)) {
    if (isUnsafe) throw apiError('FORBIDDEN', 'Another site may not do this');
    return { kind: 'none' };
  }
  const token = tokenIn(call.headers['cookie']);
  if (token === undefined) return { kind: 'none' };
  const session = await sessions.find(call.records, token);
  if (session === undefined) return { kind: 'ended' };
  // guard: dashboard-csrf
  if (isUnsafe && !sameText(call.headers[CSRF_HEADER] ?? '', session.csrf))
    throw apiError('FORBIDDEN', `The header ${CSRF_HEADER} is not that of this session`);
  return { kind: 'open', token, session };
}

/** By what browsers say of who asks (Fetch metadata); old ones say nothing. `none`: typed into the address bar. */
export function isOfThisOrigin({ headers }: Pick<PluginCall, 'headers'>): boolean {
  return ['same-origin', 'none', undefined].includes(headers['sec-fetch-site']);
}
