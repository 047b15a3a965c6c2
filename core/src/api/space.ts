import { type ApiError, laterError } from '../errors/api-error.js';
import type { ApiDeps } from './api.js';

/** An operator has to make room first. */
const AGAIN_SECONDS = 60;

/** What strangers have kept stops where quotes do: the last free space of the disk is for requests that were quoted before. */
export function refuseWithoutSpace({
  engine,
}: {
  readonly engine: Pick<ApiDeps['engine'], 'shortOfSpace'>;
}): ApiError | undefined {
  if (!engine.shortOfSpace()) return undefined;
  return laterError('SERVICE_UNAVAILABLE', 'Nothing is kept now: the service lacks the disk', AGAIN_SECONDS);
}
