import type { Context } from 'koa';
import type { ServerResponse } from './http-types.js';

/** Statuses whose answers have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Ends the response with the body that a route has set: what koa does at the end of a request, for answers that are a
 * text or bytes.
 */
export function answerPlain(context: Context): void {
  if (context.respond === false) return;
  const res: ServerResponse = context.res;
  if (EMPTY.has(context.status)) context.body = null;
  const { body } = context;
  if (typeof body === 'string') res.end(body, isAscii(body, res) ? 'latin1' : 'utf8');
  else res.end(body);
}

/** By the length in bytes that koa has set. Such a text is copied instead of encoded. */
function isAscii(body: string, res: ServerResponse): boolean {
  return res.getHeader('content-length') === body.length.toString();
}
