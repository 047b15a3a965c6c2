import type { RequestId } from '../../contract/ids.js';
import type { RequestView } from '../../contract/store.js';
import type { QuoteRow } from '../../contract/store-rows.js';
import { isHex } from '../../domain/hex.js';
import { apiError } from '../../errors/api-error.js';
import { publicFailReason, transactionHashes } from '../../events/status-event.js';
import type { ApiDeps } from '../api.js';
import { ok, type Route, route } from '../route.js';
import { object, type Shape, type TypeOf, text } from '../schema.js';
import { STATUS_RECORD, STATUS_RECORD_V1, STATUS_RECORD_V2 } from '../schemas/status-record.js';

type StatusRecord = TypeOf<typeof STATUS_RECORD>;

const QUERY = object({ requestId: text({ minLength: 1, maxLength: 256 }) });
const DESCRIPTION = 'Knows requests, and quotes that nobody has paid yet as `waiting` until they are forgotten.';

/** `GET /intents/status/v3`: knows requests, and quotes that nobody has paid yet as `waiting` until they are pruned. */
export function statusRoute(deps: Pick<ApiDeps, 'store'>): Route {
  return versionOf(deps, '/v3', STATUS_RECORD, (record) => record);
}

/** All versions, newest first. The older ones say of the same what they have words for (clients.md 2.4). */
export function statusRoutes(deps: Pick<ApiDeps, 'store'>): readonly Route[] {
  return [
    statusRoute(deps),
    versionOf(deps, '/v2', STATUS_RECORD_V2, statusV2),
    versionOf(deps, '', STATUS_RECORD_V1, statusV1),
  ];
}

function versionOf<T>(
  { store }: Pick<ApiDeps, 'store'>,
  version: '' | '/v2' | '/v3',
  answer: Shape<T>,
  shape: (record: StatusRecord) => T,
): Route {
  const newest = version === '/v3';
  return route({
    method: 'GET',
    path: `/intents/status${version}`,
    operationId: `status${version === '' ? '' : version.slice(1).toUpperCase()}`,
    summary: newest ? 'Status of a request' : 'Status of a request, in an older shape',
    description: DESCRIPTION,
    tags: ['Requests'],
    ...(newest ? {} : { deprecated: true }),
    rate: 'status',
    access: 'open',
    query: QUERY,
    answers: { 200: answer },
    errors: ['REQUEST_NOT_FOUND'],
    handle: async ({ query }) => {
      const id = query.requestId.toLowerCase();
      if (!isHex(id, 32)) return apiError('REQUEST_NOT_FOUND');
      const [view] = await store.views([id as RequestId]);
      if (view) return ok(shape(ofRequest(view)));
      const quote = await store.quote(id as RequestId);
      return quote ? ok(shape(ofQuote(quote))) : apiError('REQUEST_NOT_FOUND');
    },
  });
}

const V2_STATUS = { submitted: 'pending', fallback: 'refund' } as const;

function statusV2(record: StatusRecord): TypeOf<typeof STATUS_RECORD_V2> {
  const { status, quoteCreatedAt } = record;
  const known = status === 'submitted' || status === 'fallback' ? V2_STATUS[status] : status;
  return { ...older(record), status: known, quoteCreatedAt };
}

const V1_STATUS = {
  waiting: 'received',
  depositing: 'pending',
  pending: 'pending',
  submitted: 'pending',
  success: 'success',
  failure: 'failure',
  refund: 'fallback',
  fallback: 'fallback',
} as const;

function statusV1(record: StatusRecord): TypeOf<typeof STATUS_RECORD_V1> {
  return { ...older(record), status: V1_STATUS[record.status] };
}

function older({ details, inTxHashes, txHashes, updatedAt, originChainId, destinationChainId }: StatusRecord) {
  return { details, inTxHashes, txHashes, time: updatedAt, originChainId, destinationChainId };
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
