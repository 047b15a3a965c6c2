import { apiError } from '../../errors/api-error.js';
import { type Route, route } from '../route.js';
import { object, type Schema, text } from '../schema.js';
import { MESSAGE } from '../schemas/common.js';

const ADDRESS = text({ minLength: 1, maxLength: 256 });
const NONCE_MAPPING = object({}, { type: text(), depositor: ADDRESS, signature: text() });

/** A well-formed body gets UNSUPPORTED_EXECUTION_TYPE, a malformed one its errors; neither changes anything. */
export function notServedRoutes(): readonly Route[] {
  return [
    notServed('/authorize', 'authorize', 'Map a nonce of an exchange venue', NONCE_MAPPING, 'Nonce mappings are'),
  ];
}

function notServed(
  path: string,
  operationId: string,
  summary: string,
  body: Schema,
  what: string,
  { query = undefined as Schema | undefined, answer = MESSAGE as Schema } = {},
): Route {
  return route({
    ...{ method: 'POST', path, operationId, summary, tags: ['Transactions'], rate: 'other', access: 'open' },
    description: `${what} not served by this version: what is right is refused with \`UNSUPPORTED_EXECUTION_TYPE\`.`,
    ...(query ? { query } : {}),
    body,
    answers: { 200: answer },
    errors: ['UNSUPPORTED_EXECUTION_TYPE'],
    handle: () => apiError('UNSUPPORTED_EXECUTION_TYPE', `${what} not served`),
  });
}
