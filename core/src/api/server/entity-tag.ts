import { createHash } from 'node:crypto';
import type { Context } from 'koa';

/**
 * Allows 304 for repeated reads (RFC 9110, 13.1.2). Weak: the same in every encoding. Only for successful safe
 * requests.
 */
export function tagEntity(context: Context): void {
  const { body } = context;
  if (context.status !== 200 || typeof body !== 'string' || !isRead(context)) return;
  context.set('ETag', `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`);
  if (!context.fresh) return;
  context.status = 304;
  context.body = null;
}

export function isRead({ method }: Pick<Context, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}
