import { type ApiError, laterError } from '../errors/api-error.js';
import type { ApiDeps } from './api.js';

/** An operator has to free space first. */
const RETRY_AFTER_S = 60;

/** When the disk is nearly full: the rest is for requests already quoted. */
export function refuseWithoutSpace({
  engine,
}: {
  readonly engine: Pick<ApiDeps['engine'], 'shortOfSpace'>;
}): ApiError | undefined {
  if (!engine.shortOfSpace()) return undefined;
  return laterError('SERVICE_UNAVAILABLE', 'Nothing can be stored now: the disk is nearly full', RETRY_AFTER_S);
}
