import type { Context, Next } from 'koa';
import type { Clock } from '../../contract/clock.js';
import type { Logger, Metrics } from '../../contract/observability.js';
import { CommitUnknownError, DatabaseWentBackError, StoreUnavailableError } from '../../contract/store.js';
import { ApiError, apiError } from '../../errors/api-error.js';
import type { ClientAddress } from './client-address.js';
import type { Cors } from './cors.js';
import type { RequestIds } from './request-id.js';
import { sendError } from './send.js';

export interface OuterDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly cors: Cors;
  readonly address: ClientAddress;
  readonly requestIds: RequestIds;
  readonly isClosing: () => boolean;
}

export function createOuter(deps: OuterDeps): (context: Context, next: Next) => Promise<void> {
  return async (context, next) => {
    const started = deps.clock.monotonic();
    const id = deps.requestIds(context.req.headers['x-request-id']);
    context.state['requestId'] = id;
    const path = pathOf(context);
    commonHeaders(context, id);
    try {
      // First: without these headers a browser hides even refusals from the page.
      const preflight = deps.cors(context);
      const closing = deps.isClosing();
      if (closing) context.set('Connection', 'close');
      if (closing && !preflight) sendError(context, apiError('SERVICE_UNAVAILABLE', 'The service is stopping'));
      else if (path === undefined) sendError(context, UNREADABLE);
      else if (!preflight) await next();
    } catch (error) {
      sendError(context, classified(error, deps.log, id));
    }
    const ms = deps.clock.monotonic() - started;
    const route = (context.state['operationId'] as string | undefined) ?? 'none';
    const { status, method } = context;
    deps.metrics.observe('request', 'Duration of HTTP requests', ms, { route, method: known(method), status });
    deps.log.info(
      {
        id,
        route,
        method,
        path: (path ?? '').slice(0, 200),
        status,
        ms: Math.round(ms * 1000) / 1000,
        ip: deps.address.of(context.req),
      },
      'request',
    );
  };
}

const REASON = 'is not for a path';
const UNREADABLE = new ApiError('INVALID_REQUEST', `The request ${REASON}`, { field: 'request', reason: REASON });

/** Undefined for a request line without a valid path. */
function pathOf(context: Context): string | undefined {
  try {
    return (context.path as string | null | undefined) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Also on answers to incomplete requests. */
export function everyAnswer(id: string): Readonly<Record<string, string>> {
  return { 'X-Request-Id': id, ...SAFE };
}

const SAFE = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;
const SAFE_HEADERS = Object.entries(SAFE);

/** Directly on the response: koa's way builds three lists per header, for every request. */
function commonHeaders({ res }: Context, id: string): void {
  res.setHeader('X-Request-Id', id);
  for (const [name, value] of SAFE_HEADERS) res.setHeader(name, value);
}

/** Unclassified failures answer 500 without details, which only the log has. */
function classified(error: unknown, log: Logger, id: string): ApiError {
  if (error instanceof ApiError) return error;
  log.error({ id, err: error }, 'request failed');
  if ([CommitUnknownError, DatabaseWentBackError, StoreUnavailableError].some((kind) => error instanceof kind))
    return apiError('SERVICE_UNAVAILABLE');
  return apiError('UNKNOWN_ERROR');
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH']);

/** Metric labels must not grow with client input. */
function known(method: string): string {
  return METHODS.has(method) ? method : 'other';
}
