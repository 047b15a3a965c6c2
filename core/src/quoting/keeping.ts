import type { RequestId } from '../contract/ids.js';
import type { Change } from '../contract/store.js';
import type { ApiError } from '../errors/api-error.js';

/** Keeps an answer under the key of its caller, in the change set of what it promises. */
export interface Keeping<T> {
  changes(answer: T, requestId: RequestId): readonly Change[];
  /** The answer where another request kept one under the same key first. Nothing of this one is stored then. */
  readonly taken: ApiError;
}
