import type { RequestId } from '../../contract/ids.js';
import type { RequestView } from '../../contract/store.js';
import type { QuoteRow } from '../../contract/store-rows.js';
import { isHex } from '../../domain/hex.js';
import { apiError } from '../../errors/api-error.js';
import { publicFailReason, transactionHashes } from '../../events/status-event.js';
import type { ApiDeps } from '../api.js';
import { ok, type Route, route } from '../route.js';
import { object, type TypeOf, text } from '../schema.js';
import { STATUS_RECORD } from '../schemas/status-record.js';

type StatusRecord = TypeOf<typeof STATUS_RECORD>;

/** `GET /intents/status/v3`: knows requests, and quotes that nobody has paid yet as `waiting` until they are pruned. */
export function statusRoute({ store }: Pick<ApiDeps, 'store'>): Route {
  return route({
    method: 'GET',
    path: '/intents/status/v3',
    operationId: 'statusV3',
    summary: 'Status of a request',
    description: 'Knows requests, and quotes that nobody has paid yet as `waiting` until they are forgotten.',
    tags: ['Requests'],
    rate: 'status',
    access: 'open',
    query: object({ requestId: text({ minLength: 1, maxLength: 256 }) }),
    answers: { 200: STATUS_RECORD },
    errors: ['REQUEST_NOT_FOUND'],
    handle: async ({ query }) => {
      const id = query.requestId.toLowerCase();
      if (!isHex(id, 32)) return apiError('REQUEST_NOT_FOUND');
      const [view] = await store.views([id as RequestId]);
      if (view) return ok(ofRequest(view));
      const quote = await store.quote(id as RequestId);
      return quote ? ok(ofQuote(quote)) : apiError('REQUEST_NOT_FOUND');
    },
  });
}

function ofRequest({ request, transactions }: RequestView): StatusRecord {
  const hashes = transactionHashes(transactions);
  return {
    status: request.status,
    inTxHashes: hashes.in,
    txHashes: hashes.out,
    updatedAt: request.updatedAt,
    quoteCreatedAt: request.createdAt,
    originChainId: request.originChainId,
    destinationChainId: request.destinationChainId,
    failReason: publicFailReason(request.status, request.failReason),
    refundFailReason: request.refundFailReason ?? 'N/A',
    details: request.details,
  };
}

function ofQuote(quote: QuoteRow): StatusRecord {
  return {
    status: 'waiting',
    inTxHashes: [],
    txHashes: [],
    updatedAt: quote.createdAt,
    quoteCreatedAt: quote.createdAt,
    originChainId: quote.originChainId,
    destinationChainId: quote.destinationChainId,
    failReason: 'N/A',
    refundFailReason: 'N/A',
    details: null,
  };
}
