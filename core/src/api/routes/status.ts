import type { RequestId } from '../../contract/ids.js';
import type { StatusView } from '../../contract/store.js';
import { isHex } from '../../domain/hex.js';
import { apiError } from '../../errors/api-error.js';
import { publicFailReason, transactionHashes } from '../../events/status-event.js';
import type { ApiDeps } from '../api.js';
import { ok, type Route, route } from '../route.js';
import { object, type Shape, type TypeOf, text } from '../schema.js';
import { STATUS_RECORD, STATUS_RECORD_V1, STATUS_RECORD_V2 } from '../schemas/status-record.js';
import { createStatusReader, type StatusReader } from '../status-reader.js';

type StatusRecord = TypeOf<typeof STATUS_RECORD>;

const QUERY = object({ requestId: text({ minLength: 1, maxLength: 256 }) });
const DESCRIPTION = 'Knows requests, and quotes that are not paid yet as `waiting` until they are pruned.';

/** Unpaid quotes are `waiting` until they are pruned. */
export function statusRoute({ store }: Pick<ApiDeps, 'store'>): Route {
  return newest(createStatusReader(store));
}

export function statusRoutes({ store }: Pick<ApiDeps, 'store'>): readonly Route[] {
  const read = createStatusReader(store);
  return [
    newest(read),
    versionOf(read, '/v2', STATUS_RECORD_V2, statusV2),
    versionOf(read, '', STATUS_RECORD_V1, statusV1),
  ];
}

function newest(read: StatusReader): Route {
  return versionOf(read, '/v3', STATUS_RECORD, (record) => record);
}

function versionOf<T>(
  read: StatusReader,
  version: '' | '/v2' | '/v3',
  answer: Shape<T>,
  shape: (record: StatusRecord) => T,
): Route {
  const isNewest = version === '/v3';
  return route({
    method: 'GET',
    path: `/intents/status${version}`,
    operationId: `status${version === '' ? '' : version.slice(1).toUpperCase()}`,
    summary: isNewest
      ? 'Status of a request'
      : `Status of a request, in the shape of version ${version === '' ? 1 : 2}`,
    description: DESCRIPTION,
    tags: ['Requests'],
    ...(isNewest ? {} : { deprecated: true }),
    rate: 'status',
    access: 'open',
    query: QUERY,
    answers: { 200: answer },
    errors: ['REQUEST_NOT_FOUND'],
    handle: async ({ query }) => {
      const id = query.requestId.toLowerCase();
      if (!isHex(id, 32)) return apiError('REQUEST_NOT_FOUND');
      const view = await read(id as RequestId);
      return view ? ok(shape(recordOf(view))) : apiError('REQUEST_NOT_FOUND');
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

function recordOf(view: StatusView): StatusRecord {
  const hashes = transactionHashes(view.transactions);
  return {
    status: view.status,
    inTxHashes: hashes.in,
    txHashes: hashes.out,
    updatedAt: view.updatedAt,
    quoteCreatedAt: view.createdAt,
    originChainId: view.originChainId,
    destinationChainId: view.destinationChainId,
    failReason: publicFailReason(view.status, view.failReason),
    refundFailReason: view.refundFailReason ?? 'N/A',
    details: view.details,
  };
}
