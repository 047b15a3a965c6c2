import type { ErrorBody } from '../../errors/api-error.js';

/**
 * Texts of an event stream (HTML Living Standard, 9.2). No value has a line break: they are compact JSON and numbers.
 */

/** Reconnection delay of the client. */
export function retryText(ms: number): string {
  return `retry: ${ms}\n\n`;
}

/** Sets the id that the client sends on reconnect. Without data it is not dispatched as an event. */
export function positionText(position: number): string {
  return `id: ${position}\n\n`;
}

export function eventText(frame: string, position: number): string {
  return `id: ${position}\ndata: ${frame}\n\n`;
}

export function gapText(from: number, to: number): string {
  return `event: gap\nid: ${to}\ndata: ${JSON.stringify({ from, to })}\n\n`;
}

export function endText(error: ErrorBody): string {
  return `event: end\ndata: ${JSON.stringify(error)}\n\n`;
}

/** A comment line that keeps proxies from closing the connection. */
export const ALIVE = ': alive\n\n';
