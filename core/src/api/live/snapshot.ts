import type { RequestId } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import type { QuoteRow, RequestRow } from '../../contract/store-rows.js';
import { EVENT } from '../../events/feed/feed-event.js';
import { type StatusEventData, statusEvent } from '../../events/status-event.js';

/** How a request stands, in the words of an event. */
export interface Snapshot {
  readonly payload: string;
  /** Events of the request that it already contains. */
  readonly sequence: number;
  readonly request: RequestRow | QuoteRow;
  /** Null once it is a request of its own. */
  readonly unfunded: Unfunded | null;
}

/** A quote that nothing funded. */
export interface Unfunded {
  /** Whose transfers tell how it stands, though they cannot fund it. */
  readonly payer: string;
  /** The newest of these; null where there is none. */
  readonly told: ToldOf | null;
}

/** How far what its payer sent for a quote was told. */
export interface ToldOf extends Pick<RequestRow, 'id' | 'createdAt'> {
  /** Events of the request that were told. */
  readonly sequence: number;
}

/** The status as the status endpoint tells it: also of a quote that nothing funded. */
export async function snapshotOf(
  store: Pick<Store, 'views' | 'quote' | 'statuses'>,
  id: RequestId,
): Promise<Snapshot | undefined> {
  const own = await toldAs(store, id, id);
  if (own) return { ...own, unfunded: null };
  const quote = await store.quote(id);
  if (!quote) return undefined;
  const [status] = await store.statuses([id]);
  // Funded a moment ago.
  if (status?.requestId === id) return snapshotOf(store, id);
  const details = status?.details ?? null;
  const sent = status?.requestId ? await toldAs(store, status.requestId, id, details) : undefined;
  const { user: payer } = quote;
  if (!sent) return { payload: ofQuote(quote, details), sequence: 0, request: quote, unfunded: { payer, told: null } };
  const { payload, request, sequence } = sent;
  const told = { id: request.id, createdAt: request.createdAt, sequence };
  return { payload, sequence: 0, request: quote, unfunded: { payer, told } };
}

/** How a request stands, told under an id that may be another's. */
async function toldAs(
  store: Pick<Store, 'views'>,
  id: RequestId,
  as: RequestId,
  details?: string | null,
): Promise<{ readonly payload: string; readonly sequence: number; readonly request: RequestRow } | undefined> {
  const [view] = await store.views([id]);
  if (!view) return undefined;
  const { request, transactions } = view;
  const { eventCount: sequence, updatedAt } = request;
  const told = { ...request, id: as, details: request.details ?? details ?? null };
  const { payload } = statusEvent(told, transactions, sequence, updatedAt);
  return { payload, sequence, request };
}

function ofQuote(quote: QuoteRow, details: string | null): string {
  const data: StatusEventData = {
    requestId: quote.id,
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
