import type { RequestId } from '../contract/ids.js';
import type { Change } from '../contract/store.js';
import type { ApiError } from '../errors/api-error.js';

/** Stores an answer under an idempotency key, in the change set of the promise. */
export interface Keeping<T> {
  changes(answer: T, requestId: RequestId): readonly Change[];
  /** The error where another request stored an answer under the same key first. Then nothing of this one is stored. */
  readonly taken: ApiError;
}
