import type { RequestId } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import type { QuoteRow, RequestRow } from '../../contract/store-rows.js';
import { EVENT } from '../../events/feed/feed-event.js';
import { type StatusEventData, statusEvent } from '../../events/status-event.js';

export interface Snapshot {
  readonly payload: string;
  /** Number of the request's events that the payload already contains. */
  readonly sequence: number;
  readonly request: RequestRow | QuoteRow;
  /** Null once the quote has become a request. */
  readonly unfunded: Unfunded | null;
}

export interface Unfunded {
  /** Its transfers determine the status although they cannot fund the quote. */
  readonly payer: string;
  readonly reported: ReportedOf | null;
  readonly details: string | null;
}

export interface ReportedOf extends Pick<RequestRow, 'id' | 'createdAt'> {
  /** Number of the request's events so far. */
  readonly sequence: number;
}

/** The status as on the status endpoint, also of an unfunded quote. */
export async function snapshotOf(
  store: Pick<Store, 'views' | 'quote' | 'statuses'>,
  id: RequestId,
): Promise<Snapshot | undefined> {
  const own = await reportedAs(store, id, id);
  if (own) return { ...own, unfunded: null };
  const quote = await store.quote(id);
  if (!quote) return undefined;
  const [status] = await store.statuses([id]);
  if (status?.requestId === id) return snapshotOf(store, id);
  const details = status?.details ?? null;
  const sent = status?.requestId ? await reportedAs(store, status.requestId, id, details) : undefined;
  const { user: payer } = quote;
  if (!sent)
    return {
      ...{ payload: ofQuote(quote, details), sequence: 0, request: quote },
      unfunded: { payer, reported: null, details },
    };
  const { payload, request, sequence } = sent;
  const reported = { id: request.id, createdAt: request.createdAt, sequence };
  return { payload, sequence: 0, request: quote, unfunded: { payer, reported, details } };
}

/** The status of a request under an id that may differ from its own. */
async function reportedAs(
  store: Pick<Store, 'views'>,
  id: RequestId,
  as: RequestId,
  details?: string | null,
): Promise<{ readonly payload: string; readonly sequence: number; readonly request: RequestRow } | undefined> {
  const [view] = await store.views([id]);
  if (!view) return undefined;
  const { request, transactions } = view;
  const { eventCount: sequence, updatedAt } = request;
  const parentRequestId = as === id ? request.parentRequestId : null;
  const reported = { ...request, id: as, parentRequestId, details: request.details ?? details ?? null };
  const { payload } = statusEvent(reported, transactions, sequence, updatedAt);
  return { payload, sequence, request };
}

function ofQuote(quote: QuoteRow, details: string | null): string {
  const data: StatusEventData = {
    requestId: quote.id,
    parentRequestId: null,
    status: 'waiting',
    inTxHashes: [],
    txHashes: [],
    updatedAt: quote.createdAt,
    originChainId: quote.originChainId,
    destinationChainId: quote.destinationChainId,
    failReason: 'N/A',
    refundFailReason: 'N/A',
    details,
    depositAddress: null,
    referrer: quote.referrer,
  };
  return JSON.stringify({ event: EVENT, timestamp: quote.createdAt, data });
}
