import { ApiError } from '../errors/api-error.js';

/** The result of a quoting stage, or the refusal that ends the quote. */
export type Stage<T> = T | ApiError;

export function refused<T>(result: Stage<T>): result is ApiError {
  return result instanceof ApiError;
}
