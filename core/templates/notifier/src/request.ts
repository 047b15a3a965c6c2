import { NotWrittenError, type OutboxEvent } from '@causeway/core';
import type { Sent } from './http/post.js';

/**
 * Returns the HTTP request for an event. It contains `id` (by which the recipient recognises repeats), `requestId` and `sequence` (the
 * order), and the complete `payload` (any JSON). The same event must give the same bytes on every attempt.
 */
export function requestOf(_event: OutboxEvent, _token: string): Sent {
  throw new NotWrittenError('requestOf: return headers (including the token) and body for an event', 'src/request.ts');
}
