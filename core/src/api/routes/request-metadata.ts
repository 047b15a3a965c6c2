import type { RequestId } from '../../contract/ids.js';
import { isHex } from '../../domain/hex.js';
import { ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { mayDescribe } from '../record/metadata-rights.js';
import { ok, type Route, route } from '../route.js';
import { flag, object, text } from '../schema.js';
import { refuseWithoutSpace } from '../space.js';

/** Of the metadata as compact JSON. */
const MAX_METADATA_BYTES = 4_096;

const BODY = object(
  {
    requestId: text({ maxLength: 256 }),
    additionalMetadata: object({}, {}, { description: `An object of at most ${MAX_METADATA_BYTES} bytes as JSON.` }),
  },
  {
    // Longer than the signatures of any chain.
    signature: text({
      minLength: 1,
      maxLength: 4_096,
      description:
        'If the request was quoted without a key: signature of the text `sign` (from the response without it), by the `user`.',
    }),
  },
);

const ANSWER = object(
  {
    message: text(),
    kept: flag({ description: 'Whether it was stored and is shown with the request.' }),
  },
  {
    sign: text({
      description: 'Text that the `user` signs to have it stored, if the request was quoted without a key.',
    }),
  },
);

const UNPROVEN = 'Not kept: send the API key that asked for the request';
const UNSIGNED = 'Not kept: the request has no API key, so its user has to sign for it';

/**
 * The first write is permanent: 409 for different content, 200 for the same. Public clients send it without proof of
 * identity and get 200 while nothing is stored.
 */
export function requestMetadataRoute(
  deps: Pick<ApiDeps, 'store' | 'chains' | 'orderSigner' | 'clock' | 'engine'>,
): Route {
  const { store, clock } = deps;
  return route({
    method: 'POST',
    path: '/requests/metadata',
    operationId: 'requestMetadata',
    summary: 'Say something of a request besides',
    description:
      'Kept with the quote or request as it came, and shown as `data.externalMetadata`, if it comes with a key of the ' +
      'integrator that asked for the quote, or, where the quote was asked for without a key, with a signature of its user. ' +
      'Without either nothing is kept, and the answer says so. What was said first stays.',
    tags: ['Requests'],
    rate: 'other',
    access: 'open',
    body: BODY,
    answers: { 200: ANSWER },
    errors: ['REQUEST_NOT_FOUND', 'FORBIDDEN', 'SERVICE_UNAVAILABLE', ['INVALID_REQUEST', 409]],
    handle: async ({ body, caller }) => {
      const id = body.requestId.toLowerCase();
      if (!isHex(id, 32)) return invalidRequest('requestId', 'is not a request id');
      const metadata = JSON.stringify(body.additionalMetadata);
      if (Buffer.byteLength(metadata) > MAX_METADATA_BYTES) {
        return invalidRequest('additionalMetadata', `must have at most ${MAX_METADATA_BYTES} bytes as JSON`);
      }
      const requestId = id as RequestId;
      const described = (await store.request(requestId)) ?? (await store.quote(requestId));
      if (!described) return apiError('REQUEST_NOT_FOUND');
      const right = await mayDescribe(deps, caller, described, { metadata, signature: body.signature });
      if (right instanceof ApiError) return right;
      if (!right.may) {
        const { sign } = right;
        return ok(sign === null ? { message: UNPROVEN, kept: false } : { message: UNSIGNED, kept: false, sign });
      }
      const full = refuseWithoutSpace(deps);
      if (full) return full;
      const row = { requestId, metadata, createdAt: clock.now() };
      const changes = [{ op: 'insert', table: 'clientMetadata', row, ifAbsent: true }] as const;
      await store.apply({ name: 'api.metadata', changes });
      const [kept] = await store.clientMetadata([requestId]);
      return kept?.metadata === metadata ? ok({ message: 'Success', kept: true }) : otherWasSaid();
    },
  });
}

function otherWasSaid(): ApiError {
  const [field, reason] = ['additionalMetadata', 'something else was said of this request before'];
  return new ApiError('INVALID_REQUEST', `${field}: ${reason}`, { field, reason }, 409);
}
