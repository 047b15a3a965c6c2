import { createHash } from 'node:crypto';
import type { RequestId } from '../contract/ids.js';

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

/** Of the random part of the request id. */
export function traceIdOf(requestId: RequestId): string {
  return requestId.slice(-TRACE_DIGITS);
}

/** @param what is unique within the request. */
export function spanIdOf(requestId: RequestId, what: string): string {
  return createHash('sha256').update(`${requestId}/${what}`).digest('hex').slice(0, SPAN_DIGITS);
}

export const ROOT = 'request';
