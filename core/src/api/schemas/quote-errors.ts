import { ERROR_CATALOGUE, type ErrorCode } from '../../errors/catalogue.js';

const OTHERS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'INVALID_REQUEST',
  'METHOD_NOT_ALLOWED',
  'NOT_FOUND',
  'RATE_LIMITED',
  'REQUEST_NOT_FOUND',
  'SERVICE_UNAVAILABLE',
  'UNAUTHORIZED',
  'UNKNOWN_ERROR',
]);

export const QUOTE_ERRORS: readonly ErrorCode[] = (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).filter(
  (code) => !OTHERS.has(code),
);
