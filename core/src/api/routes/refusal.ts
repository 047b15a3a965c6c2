import type { OperatorOutcome } from '../../engine/index.js';
import { ApiError } from '../../errors/api-error.js';

/** 404 for what does not exist, 409 for what is not safe or makes no sense now, 400 for what is malformed. */
const STATUS = { notFound: 404, notSafe: 409, notApplicable: 409, invalid: 400 } as const;

/** What the engine refuses, naming the field that it is about (decision 18). */
export function refusal(field: string, { code, message }: Extract<OperatorOutcome, { ok: false }>): ApiError {
  return new ApiError('INVALID_REQUEST', message, { field, reason: message, why: code }, STATUS[code]);
}
