import { ApiError } from '../errors/api-error.js';

/** What a stage of quoting answers: its result, or the refusal that ends the quote. Refusals are values, not throws. */
export type Stage<T> = T | ApiError;

export function refused<T>(result: Stage<T>): result is ApiError {
  return result instanceof ApiError;
}
