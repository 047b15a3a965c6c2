import { type ApiError, invalidRequest } from '../../errors/api-error.js';
import type { StatusEventData } from '../../events/status-event.js';

export const EVENT = 'request.status.updated';

/** Which requests to tell of: a request has to match every filter. */
export interface Filters {
  readonly id?: string;
  /** Address of the user. */
  readonly user?: string;
  /** `own`: requests of the API key that the socket was opened with. */
  readonly key?: 'own';
}

/** What a client asks for. */
export interface Ask {
  readonly type: 'subscribe' | 'unsubscribe';
  readonly filters: Filters;
  /** Feed position of the last frame that the client has seen; null for from now on. */
  readonly after: number | null;
}

const LONGEST = 256;

/** Reads a client's frame. Fields that are not known are ignored; the error names what is wrong. */
export function readFrame(text: string): Ask | ApiError {
  const frame = parsed(text);
  if (frame === undefined) return invalidRequest('frame', 'must be a JSON object');
  const { type, event, filters: given, after = null } = frame;
  if (type !== 'subscribe' && type !== 'unsubscribe') return invalidRequest('type', 'must be subscribe or unsubscribe');
  if (event !== EVENT) return invalidRequest('event', `must be ${EVENT}`);
  if (after !== null && (!Number.isSafeInteger(after) || (after as number) < 0)) {
    return invalidRequest('after', 'must be a whole number, zero or more');
  }
  if (given !== undefined && !isObject(given)) return invalidRequest('filters', 'must be an object');
  const { id, user, key } = given ?? {};
  for (const [name, value] of Object.entries({ id, user })) {
    if (value === undefined) continue;
    if (typeof value !== 'string' || value === '' || value.length > LONGEST) {
      return invalidRequest(`filters.${name}`, `must be a text of 1 to ${LONGEST} characters`);
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
  return { type, filters, after: after as number | null };
}

export function readyFrame(id: string): string {
  return JSON.stringify({ type: 'connection', status: 'ready', data: { id } });
}

/** @param position of the feed: what comes later has a greater one. */
export function doneFrame({ type, filters }: Ask, position?: number): string {
  return JSON.stringify({
    type,
    status: 'success',
    data: { event: EVENT, filters, ...(position === undefined ? {} : { position }) },
  });
}

/** `type` is that of the frame that was refused, `error` where it has none. */
export function errorFrame(type: string, error: ApiError): string {
  return JSON.stringify({ type, status: 'error', error: error.toBody() });
}

/** An event as it is stored, with where it stands: in the feed, and among the events of its request. */
export function eventFrame(payload: string, position: number, sequence: number): string {
  return `${payload.slice(0, -1)},"position":${position},"sequence":${sequence}}`;
}

/** An event as it is stored, without what only the integrator of its request may know. */
export function withoutReferrer(payload: string): string {
  const { data, ...rest } = JSON.parse(payload) as { readonly data?: StatusEventData };
  return typeof data?.referrer !== 'string' ? payload : JSON.stringify({ ...rest, data: { ...data, referrer: null } });
}

/**
 * The frame of a child request's event for a client that follows the quote: under the quote's id, and with sequence 0, because
 * it is none of the quote's own events.
 */
export function frameOfQuote(frame: string, requestId: string): string {
  const { data, ...rest } = JSON.parse(frame) as Readonly<Record<string, object>>;
  return JSON.stringify({ ...rest, data: { ...data, requestId }, sequence: 0 });
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
