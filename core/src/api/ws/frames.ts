import { ApiError, invalidRequest } from '../../errors/api-error.js';
import { EVENT } from '../../events/feed/feed-event.js';
import type { Filters } from '../live/subscribe.js';

export interface Ask {
  readonly type: 'subscribe' | 'unsubscribe';
  readonly filters: Filters;
  /** Feed position of the last frame that the client has seen; null for from now on. */
  readonly after: number | null;
}

const MAX_ID_LENGTH = 256;

/** Unknown fields are ignored; the error names the invalid one. */
export function readFrame(text: string): Ask | ApiError {
  const frame = parsed(text);
  if (frame === undefined) return invalidRequest('frame', 'must be a JSON object');
  const { type, event, filters: given } = frame;
  if (type !== 'subscribe' && type !== 'unsubscribe') return invalidRequest('type', 'must be subscribe or unsubscribe');
  if (event !== EVENT) return invalidRequest('event', `must be ${EVENT}`);
  const after = positionOf(frame);
  if (after instanceof ApiError) return after;
  if (given !== undefined && !isObject(given)) return invalidRequest('filters', 'must be an object');
  const { id, user, key } = given ?? {};
  for (const [name, value] of Object.entries({ id, user })) {
    if (value === undefined) continue;
    if (typeof value !== 'string' || value === '' || value.length > MAX_ID_LENGTH) {
      return invalidRequest(`filters.${name}`, `must be a text of 1 to ${MAX_ID_LENGTH} characters`);
    }
  }
  if (key !== undefined && key !== 'own') return invalidRequest('filters.key', 'must be own');
  if (id === undefined && user === undefined && key === undefined) {
    return invalidRequest('filters', 'must name an id, a user or a key');
  }
  const filters: Filters = {
    ...(id === undefined ? {} : { id: id as string }),
    ...(user === undefined ? {} : { user: user as string }),
    ...(key === undefined ? {} : { key }),
  };
  return { type, filters, after };
}

/** `after`, or its alias `since`. */
function positionOf({ after = null, since = null }: Readonly<Record<string, unknown>>): number | null | ApiError {
  for (const [name, value] of Object.entries({ after, since })) {
    if (value !== null && (!Number.isSafeInteger(value) || (value as number) < 0)) {
      return invalidRequest(name, 'must be a whole number, zero or more');
    }
  }
  if (after !== null && since !== null && after !== since) return invalidRequest('since', 'must be the same as after');
  return (after ?? since) as number | null;
}

export function readyFrame(id: string): string {
  return JSON.stringify({ type: 'connection', status: 'ready', data: { id } });
}

/** @param position of the feed: later events have a greater one. */
export function doneFrame({ type, filters }: Ask, position?: number): string {
  return JSON.stringify({
    type,
    status: 'success',
    data: { event: EVENT, filters, ...(position === undefined ? {} : { position }) },
  });
}

/** `type` is that of the refused frame, or `error` if it has none. */
export function errorFrame(type: string, error: ApiError): string {
  return JSON.stringify({ type, status: 'error', error: error.toBody() });
}

export function gapFrame(from: number, to: number): string {
  return JSON.stringify({ type: 'gap', data: { from, to } });
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
