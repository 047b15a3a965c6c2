import type { RequestId } from '../../contract/ids.js';
import type { FeedRow } from '../../contract/store.js';
import type { StatusEventData } from '../status-event.js';

export const EVENT = 'request.status.updated';

export interface FeedEvent {
  readonly position: number;
  readonly requestId: RequestId;
  readonly sequence: number;
  /** For anyone who may follow the request. */
  readonly frame: string;
  /** With the referrer, for the integrator whose key made the request. */
  readonly ownFrame: string;
}

export function feedEvent({ position, requestId, sequence, payload }: FeedRow): FeedEvent {
  const ownFrame = eventFrame(payload, position, sequence);
  const plain = withoutReferrer(payload);
  // Most events have no referrer: both share one text.
  const frame = plain === payload ? ownFrame : eventFrame(plain, position, sequence);
  return { position, requestId, sequence, frame, ownFrame };
}

export function eventFrame(payload: string, position: number, sequence: number): string {
  return `${payload.slice(0, -1)},"position":${position},"sequence":${sequence}}`;
}

/** Only the integrator of the request may see the referrer. */
export function withoutReferrer(payload: string): string {
  const { data, ...rest } = JSON.parse(payload) as { readonly data?: StatusEventData };
  return typeof data?.referrer !== 'string' ? payload : JSON.stringify({ ...rest, data: { ...data, referrer: null } });
}

/**
 * A child request's event for followers of the quote: under the quote's id, with sequence 0 because it is not the
 * quote's own event.
 */
export function frameOfQuote(frame: string, requestId: string): string {
  const { data, ...rest } = JSON.parse(frame) as Readonly<Record<string, object>>;
  return JSON.stringify({ ...rest, data: { ...data, requestId, parentRequestId: null }, sequence: 0 });
}

/**
 * What the status endpoint says of a quote after a transfer of another account than its payer's: it waits, and why that
 * transfer did not fund it. Undefined: the event says no reason.
 */
export function waitingFrame(
  frame: string,
  requestId: string,
): { readonly frame: string; readonly why: string } | undefined {
  const { data, ...rest } = JSON.parse(frame) as { readonly data: StatusEventData };
  if (data.details === null) return undefined;
  const waiting: StatusEventData = {
    ...data,
    ...{ requestId, parentRequestId: null, status: 'waiting', inTxHashes: [], txHashes: [] },
    ...{ failReason: 'N/A', refundFailReason: 'N/A', depositAddress: null },
  };
  return { frame: JSON.stringify({ ...rest, data: waiting, sequence: 0 }), why: data.details };
}
