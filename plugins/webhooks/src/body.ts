import type { OutboxEvent } from '@causeway/core';

/**
 * The text that is posted: the event as clients know it from the websocket, with its id and its number within the request. Compact JSON that
 * parses and serialises to itself, for receivers that sign again what they have parsed.
 */
export function bodyOf({ id, sequence, payload }: OutboxEvent): string {
  const whole =
    typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? payload : { data: payload };
  const text = JSON.stringify({ ...whole, id, sequence });
  return JSON.stringify(JSON.parse(text));
}
