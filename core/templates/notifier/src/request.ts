import { NotWrittenError, type OutboxEvent } from '@causeway/core';
import type { Sent } from './http/post.js';

/**
 * An event as the recipient takes it: its id, request, sequence and payload whole, so that the recipient can put the events of a
 * request in order and knows again what it had already. The same event gives the same bytes at every try. A payload is any JSON.
 */
export function requestOf(_event: OutboxEvent, _token: string): Sent {
  throw new NotWrittenError('requestOf: the headers (the token among them) and the body of an event', 'src/request.ts');
}
