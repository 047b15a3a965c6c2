import type { ErrorBody } from '../../errors/api-error.js';

/** Texts of an event stream (HTML Living Standard, 9.2). None of the values has a line break: compact JSON and numbers. */

/** How long a client waits before it comes again when the stream ends. */
export function retryText(ms: number): string {
  return `retry: ${ms}\n\n`;
}

/** What the client gives back when it comes again. An event without data is no event: the client only keeps the id. */
export function positionText(position: number): string {
  return `id: ${position}\n\n`;
}

export function eventText(frame: string, position: number): string {
  return `id: ${position}\ndata: ${frame}\n\n`;
}

/** What happened after `from`, up to `to`, cannot be told any more. */
export function gapText(from: number, to: number): string {
  return `event: gap\nid: ${to}\ndata: ${JSON.stringify({ from, to })}\n\n`;
}

/** The last of a stream that the service ends. */
export function endText(error: ErrorBody): string {
  return `event: end\ndata: ${JSON.stringify(error)}\n\n`;
}

/** Says nothing; keeps proxies from taking the connection for dead. */
export const ALIVE = ': alive\n\n';
