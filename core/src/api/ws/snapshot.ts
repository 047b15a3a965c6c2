import type { RequestId } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import type { QuoteRow } from '../../contract/store-rows.js';
import { type StatusEventData, statusEvent } from '../../events/status-event.js';
import { EVENT } from './frames.js';
import type { Heard } from './subscriptions.js';

/** How a request stands, in the words of an event. */
export interface Snapshot {
  readonly payload: string;
  /** Events of the request that it already contains. */
  readonly sequence: number;
  readonly request: Heard;
}

/** The status as the status endpoint tells it: also of a quote that nobody paid yet, as `waiting`. */
export async function snapshotOf(store: Pick<Store, 'views' | 'quote'>, id: RequestId): Promise<Snapshot | undefined> {
  const [view] = await store.views([id]);
  if (view) {
    const { request, transactions } = view;
    const { payload } = statusEvent(request, transactions, request.eventCount, request.updatedAt);
    return { payload, sequence: request.eventCount, request };
  }
  const quote = await store.quote(id);
  return quote && { payload: ofQuote(quote), sequence: 0, request: quote };
}

function ofQuote(quote: QuoteRow): string {
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
    details: null,
    depositAddress: null,
    referrer: quote.referrer,
  };
  return JSON.stringify({ event: EVENT, timestamp: quote.createdAt, data });
}
