import type { Context } from 'koa';

const REQUEST_HEADERS = [
  'content-type',
  'x-api-key',
  'relay-sdk-version',
  'x-request-id',
  'idempotency-key',
  'last-event-id',
];
/** Limits for extra headers of a preflight and the length of its list: monitoring libraries add about ten. */
const [MAX_HEADERS, MAX_CHARACTERS] = [64, 4_096];
/**
 * A field name (RFC 9110, section 5.1) restricted to usual first characters: a bare `*` would mean every header.
 */
const TOKEN = /^[0-9a-z][!#$%&'*+.^_`|~0-9a-z-]{0,127}$/;
const EXPOSED_HEADERS = 'Deprecation, Sunset, Link, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id';

/**
 * Clients' headers and those the page asks for, because monitoring libraries add their own. No answer depends on
 * cookies or browser-added headers, so an extra header gives no access.
 */
function headersFor(asked: string | undefined): string {
  if (asked === undefined || asked.length > MAX_CHARACTERS) return REQUEST_HEADERS.join(', ');
  const names = asked
    .toLowerCase()
    .split(',', MAX_HEADERS)
    .map((name) => name.trim());
  return [...new Set([...REQUEST_HEADERS, ...names.filter((name) => TOKEN.test(name))])].join(', ');
}

/** Returns true when it answered a preflight. Only the origin decides who may read an answer. */
export type Cors = (context: Context) => boolean;

export function createCors(origins: readonly string[]): Cors {
  const any = origins.includes('*');
  const allowed = new Set(origins);
  return (context) => {
    context.res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    const origin = context.req.headers.origin;
    if (origin === undefined) return false;
    if (!any) context.vary('Origin');
    const preflight =
      context.method === 'OPTIONS' && context.req.headers['access-control-request-method'] !== undefined;
    if (any || allowed.has(origin)) {
      context.set('Access-Control-Allow-Origin', any ? '*' : origin);
      if (preflight) {
        context.set('Access-Control-Allow-Methods', 'GET, POST, OPTIONS');
        context.vary('Access-Control-Request-Headers');
        context.set('Access-Control-Allow-Headers', headersFor(context.get('access-control-request-headers')));
        context.set('Access-Control-Max-Age', '86400');
      }
    }
    if (preflight) context.status = 204;
    return preflight;
  };
}
