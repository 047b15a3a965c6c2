import type { OutboxEvent } from '@causeway/core';

/**
 * The event as on the websocket, with its id and number. Compact JSON that survives parse and serialize, for
 * receivers that sign what they parsed.
 */
export function bodyOf({ id, sequence, payload }: OutboxEvent): string {
  const whole =
    typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? payload : { data: payload };
  const text = JSON.stringify({ ...whole, id, sequence });
  return JSON.stringify(JSON.parse(text));
}
