import type { Context } from 'koa';

const REQUEST_HEADERS = 'content-type, x-api-key, relay-sdk-version, x-request-id, idempotency-key, last-event-id';
const EXPOSED_HEADERS = 'Deprecation, Sunset, Link, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id';

/**
 * Lets browser clients in. Returns true when it was a preflight and is answered. What a page may read of an answer is
 * said whether or not the request names its origin; who may read it is said by the origin alone.
 */
export type Cors = (context: Context) => boolean;

export function createCors(origins: readonly string[]): Cors {
  const any = origins.includes('*');
  const allowed = new Set(origins);
  return (context) => {
    context.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    const origin = context.req.headers.origin;
    if (origin === undefined) return false;
    if (!any) context.vary('Origin');
    const preflight =
      context.method === 'OPTIONS' && context.req.headers['access-control-request-method'] !== undefined;
    if (any || allowed.has(origin)) {
      context.set('Access-Control-Allow-Origin', any ? '*' : origin);
      if (preflight) {
        context.set('Access-Control-Allow-Methods', 'GET, POST, OPTIONS');
        context.set('Access-Control-Allow-Headers', REQUEST_HEADERS);
        context.set('Access-Control-Max-Age', '86400');
      }
    }
    if (preflight) context.status = 204;
    return preflight;
  };
}
