import type { RequestId } from '../../contract/ids.js';
import { isHex } from '../../domain/hex.js';
import { ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { ok, type Route, route } from '../route.js';
import { object, text } from '../schema.js';
import { MESSAGE } from '../schemas/common.js';

/** Of the metadata as compact JSON. */
const MOST_BYTES = 4_096;

const BODY = object({
  requestId: text({ maxLength: 256 }),
  additionalMetadata: object({}, {}, { description: `An object of at most ${MOST_BYTES} bytes as JSON.` }),
});

/**
 * `POST /requests/metadata` (clients.md 2.4): an object of the client's own, shown as `data.externalMetadata`. Who knows
 * the id may say something, so what was said first stays: a stranger who learns the id later changes nothing. 409 for
 * something else; the same again is 200.
 */
export function requestMetadataRoute({ store, clock }: Pick<ApiDeps, 'store' | 'clock'>): Route {
  return route({
    method: 'POST',
    path: '/requests/metadata',
    operationId: 'requestMetadata',
    summary: 'Say something of a request besides',
    description:
      'Kept with the quote or request as it came, and shown as `data.externalMetadata`. What was said first stays.',
    tags: ['Requests'],
    rate: 'other',
    access: 'open',
    body: BODY,
    answers: { 200: MESSAGE },
    errors: ['REQUEST_NOT_FOUND', ['INVALID_REQUEST', 409]],
    handle: async ({ body }) => {
      const id = body.requestId.toLowerCase();
      if (!isHex(id, 32)) return invalidRequest('requestId', 'is not a request id');
      const metadata = JSON.stringify(body.additionalMetadata);
      if (Buffer.byteLength(metadata) > MOST_BYTES) {
        return invalidRequest('additionalMetadata', `must have at most ${MOST_BYTES} bytes as JSON`);
      }
      const requestId = id as RequestId;
      if (!(await store.request(requestId)) && !(await store.quote(requestId))) return apiError('REQUEST_NOT_FOUND');
      const row = { requestId, metadata, createdAt: clock.now() };
      const changes = [{ op: 'insert', table: 'clientMetadata', row, ifAbsent: true }] as const;
      await store.apply({ name: 'api.metadata', changes });
      const [kept] = await store.clientMetadata([requestId]);
      return kept?.metadata === metadata ? ok({ message: 'Success' }) : otherWasSaid();
    },
  });
}

function otherWasSaid(): ApiError {
  const [field, reason] = ['additionalMetadata', 'something else was said of this request before'];
  return new ApiError('INVALID_REQUEST', `${field}: ${reason}`, { field, reason }, 409);
}
