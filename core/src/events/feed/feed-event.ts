import type { RequestId } from '../../contract/ids.js';
import type { FeedRow } from '../../contract/store.js';
import type { StatusEventData } from '../status-event.js';

export const EVENT = 'request.status.updated';

/** One event of the feed, ready to be sent. */
export interface FeedEvent {
  readonly position: number;
  readonly requestId: RequestId;
  readonly sequence: number;
  /** What anybody may be told who may be told of the request. */
  readonly frame: string;
  /** The same for the integrator whose key asked for it, whose alone the referrer is. */
  readonly ownFrame: string;
}

export function feedEvent({ position, requestId, sequence, payload }: FeedRow): FeedEvent {
  const ownFrame = eventFrame(payload, position, sequence);
  const plain = withoutReferrer(payload);
  // Most events have no referrer: one text is kept for both.
  const frame = plain === payload ? ownFrame : eventFrame(plain, position, sequence);
  return { position, requestId, sequence, frame, ownFrame };
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
