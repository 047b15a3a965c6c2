import type { OperatorOutcome } from '../../engine/index.js';
import { ApiError } from '../../errors/api-error.js';

const STATUS = { notFound: 404, notSafe: 409, notApplicable: 409, invalid: 400 } as const;

/** An engine refusal, with the field that it is about (decision 18). */
export function refusal(field: string, { code, message }: Extract<OperatorOutcome, { ok: false }>): ApiError {
  return new ApiError('INVALID_REQUEST', message, { field, reason: message, why: code }, STATUS[code]);
}
