import { ERROR_CATALOGUE, type ErrorCode } from '../../errors/catalogue.js';
import type { DocumentedError, Route } from '../route.js';
import { anything, flag, integer, named, object, oneOf, type Schema, text } from '../schema.js';

const CODES = Object.keys(ERROR_CATALOGUE) as readonly ErrorCode[];

export const ERROR = named(
  'Error',
  object(
    {
      message: text({ description: 'Description for people. The text may change.' }),
      errorCode: oneOf(CODES, { description: 'Code for programs.' }),
      statusCode: integer({ description: 'The HTTP status.' }),
      retriable: flag({ description: 'The same request may succeed later, unchanged.' }),
    },
    {
      error: text({ description: 'Only of `POST /execute`: the same value as `errorCode`, for its clients.' }),
      errorData: anything({ description: 'Details: `field` and `reason` if a field is invalid.' }),
      failedCallData: object(
        { from: text(), to: text(), data: text(), value: text() },
        {},
        { description: 'The call that the destination chain refused.' },
      ),
      approxSimulatedBlock: integer({ description: 'Approximate block of the simulation.' }),
    },
  ),
);

export function errorOf(codes: readonly ErrorCode[]): Schema {
  return { allOf: [ERROR, { type: 'object', properties: { errorCode: { type: 'string', enum: codes } } }] };
}

export function errorsOf(route: Route): ReadonlyMap<number, readonly ErrorCode[]> {
  const { query, body, params, takesHeaders, access, rate, scope, errors = [] } = route;
  const all: readonly DocumentedError[] = [
    ...(query || body || params || takesHeaders ? (['INVALID_REQUEST'] as const) : []),
    ...(body ? ([['INVALID_REQUEST', 413]] as const) : []),
    'UNAUTHORIZED',
    ...(scope ? (['FORBIDDEN'] as const) : []),
    ...(rate === 'free' && access === 'open' ? [] : (['RATE_LIMITED'] as const)),
    'UNKNOWN_ERROR',
    'SERVICE_UNAVAILABLE',
    ...(access === 'admin' ? [] : (['REQUEST_TIMED_OUT'] as const)),
    ...errors,
  ];
  const byStatus = new Map<number, ErrorCode[]>();
  for (const one of all) {
    const [code, status] = typeof one === 'string' ? ([one, ERROR_CATALOGUE[one].status] as const) : one;
    const codes = byStatus.get(status) ?? [];
    if (!codes.includes(code)) byStatus.set(status, [...codes, code]);
  }
  return byStatus;
}

export function codeList(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `- \`${code}\`: ${ERROR_CATALOGUE[code].message}`).join('\n');
}
