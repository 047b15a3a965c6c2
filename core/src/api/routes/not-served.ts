import { apiError } from '../../errors/api-error.js';
import { type Route, route } from '../route.js';
import { anyOf, flag, integer, list, object, oneOf, type Schema, text } from '../schema.js';
import { MESSAGE, REQUEST_ID } from '../schemas/common.js';

const ADDRESS = text({ minLength: 1, maxLength: 256 });
const NUMBER = integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const AUTHORIZATIONS = list(
  object({}, { chainId: NUMBER, address: ADDRESS, nonce: NUMBER, yParity: NUMBER, r: text(), s: text() }),
  { minItems: 1, maxItems: 64, description: 'Signed delegations of the account.' },
);

const EXECUTE_BODY = object(
  {
    executionKind: oneOf(['rawCalls']),
    data: object(
      {
        chainId: NUMBER,
        to: ADDRESS,
        data: text({ pattern: '^0x([0-9a-fA-F]{2})*$', description: 'Calldata, hex after 0x.' }),
        value: text({ pattern: '^([0-9]{1,78}|0x[0-9a-fA-F]{1,64})$', description: 'Native coin, smallest unit.' }),
      },
      { authorizationList: AUTHORIZATIONS },
    ),
  },
  {
    requestId: text({ maxLength: 256 }),
    executionOptions: object({}, { referrer: text({ maxLength: 1_024 }), subsidizeFees: flag() }),
    originGasOverhead: anyOf(NUMBER, text({ maxLength: 15 })),
  },
);

const NONCE_MAPPING = object({}, { type: text(), depositor: ADDRESS, signature: text() });

/** A well-formed body gets UNSUPPORTED_EXECUTION_TYPE, a malformed one its errors; neither changes anything. */
export function notServedRoutes(): readonly Route[] {
  return [
    notServed('/execute', 'execute', 'Execute raw calls', EXECUTE_BODY, 'Gasless execution is', {
      needsKey: true,
      answer: object({ message: text(), requestId: REQUEST_ID }),
    }),
    notServed('/authorize', 'authorize', 'Map a nonce of an exchange venue', NONCE_MAPPING, 'Nonce mappings are'),
    notServed(
      '/fast-fill',
      'fastFill',
      'Fill before the deposit is final',
      object({ requestId: text({ maxLength: 256 }) }),
      'Fast fills are',
      { needsKey: true },
    ),
  ];
}

function notServed(
  path: string,
  operationId: string,
  summary: string,
  body: Schema,
  what: string,
  { needsKey = false, query = undefined as Schema | undefined, answer = MESSAGE as Schema } = {},
): Route {
  return route({
    ...{ method: 'POST', path, operationId, summary, tags: ['Transactions'], rate: 'other', access: 'open' },
    description: `${what} not served by this version: what is right is refused with \`UNSUPPORTED_EXECUTION_TYPE\`.`,
    ...(needsKey ? { scope: 'execute' as const } : {}),
    ...(query ? { query } : {}),
    body,
    answers: { 200: answer },
    errors: ['UNSUPPORTED_EXECUTION_TYPE'],
    handle: ({ caller }) => {
      if (needsKey && !caller.key) return apiError('UNAUTHORIZED');
      return apiError('UNSUPPORTED_EXECUTION_TYPE', `${what} not served`);
    },
  });
}
