import type { Operations } from '../generated/api.js';
import { connected, lost } from './connection.js';
import { Failure, failureOf } from './failure.js';
import { checkSession, session } from './session.js';

type Value = string | number | boolean | undefined;

interface Ask<N extends keyof Operations> {
  /** Values of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Operations[N]['query'];
  readonly body?: Operations[N]['body'];
  readonly signal?: AbortSignal;
}

/**
 * Calls an operation of the service's interface with the authority of the session.
 *
 * @throws Failure
 */
export async function call<N extends keyof Operations>(name: N, ask: Ask<N> = {}): Promise<Operations[N]['answer']> {
  const [method = 'GET', template = ''] = name.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(ask.path?.[key] ?? ''));
  const answer = await send(method, `/dashboard/api${path}${searchOf(ask.query)}`, ask.body, ask.signal);
  return (await answer.json()) as Operations[N]['answer'];
}

/**
 * Sends to a path of the dashboard.
 *
 * @throws Failure
 */
export async function send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = {};
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (method !== 'GET') headers['x-causeway-csrf'] = session.get()?.csrf ?? '';
  const answer = await fetch(path, {
    method,
    headers,
    cache: 'no-store',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    lost();
    throw new Failure(0, 'NO_ANSWER', 'The service does not answer', undefined);
  });
  connected.set(true);
  if (answer.status === 401) void checkSession();
  if (!answer.ok) throw await failureOf(answer);
  return answer;
}

function searchOf(query: Readonly<Record<string, Value>> | undefined): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(key, String(value));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
