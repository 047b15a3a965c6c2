import type { Call, Route } from '../../api/route.js';
import { executeRoute } from '../../api/routes/execute.js';
import { fastFillRoute } from '../../api/routes/fast-fill.js';
import { permitsRoute } from '../../api/routes/permits.js';
import type { Logger } from '../../contract/observability.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { ApiError } from '../../errors/api-error.js';

export interface Posted {
  /** HTTP status. */
  readonly status: number;
  readonly body: unknown;
}

export interface PostedCall {
  readonly chainId: number;
  readonly to: string;
  readonly data: string;
  /** Of the quote whose deposit it makes. */
  readonly requestId?: string;
}

/** Routes that spend an app balance, past HTTP and its authentication. */
export interface GaslessRoutes {
  execute(key: ApiKeyRow, call: PostedCall, idempotencyKey: string | undefined): Promise<Posted>;
  permit(key: ApiKeyRow, requestId: string, kind: string, signature: string): Promise<Posted>;
  fastFill(key: ApiKeyRow, requestId: string): Promise<Posted>;
}

type Deps = Parameters<typeof executeRoute>[0];

export function gaslessRoutes(deps: Deps, log: Logger): GaslessRoutes {
  const [execute, permits, fast] = [executeRoute(deps), permitsRoute(deps), fastFillRoute(deps)];
  const post = async (route: Route, key: ApiKeyRow, parts: Partial<Call>): Promise<Posted> => {
    const caller = { address: '127.0.0.1', key, isOperator: () => false };
    const call = {
      caller,
      params: {},
      headers: {},
      query: {},
      body: undefined,
      search: '',
      isForPeople: () => false,
      log,
    };
    const answer = await route.handle({ ...call, ...parts } as Parameters<Route['handle']>[0]);
    if (!(answer instanceof ApiError)) return { status: answer.status, body: answer.body };
    return { status: answer.status, body: { code: answer.code, message: answer.message } };
  };
  return {
    execute: (key, { chainId, to, data, requestId }, idempotencyKey) =>
      post(execute, key, {
        headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
        body: {
          executionKind: 'rawCalls',
          data: { chainId, to, data, value: '0' },
          ...(requestId === undefined ? {} : { requestId }),
        },
      }),
    permit: (key, requestId, kind, signature) =>
      post(permits, key, { query: { signature }, body: { requestId, kind, api: 'swap' } }),
    fastFill: (key, requestId) => post(fast, key, { body: { requestId } }),
  };
}
