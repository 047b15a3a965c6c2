import type { Logger } from '../contract/observability.js';
import type { ApiKeyRow } from '../contract/store-rows.js';
import type { ApiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/catalogue.js';
import type { Scope } from './keys.js';
import type { Schema, Shape } from './schema.js';
import type { ServerResponse } from './server/http-types.js';

export type { Schema } from './schema.js';

/** The rate a request counts against. `legacyRequests`: all older listings together. `free`: none. */
export type RateGroup = 'quotes' | 'status' | 'requests' | 'legacyRequests' | 'other' | 'free';

/** `open`: no key needed, a wrong one is refused. `admin`: the admin key, from any address. */
export type Access = 'open' | 'admin';

export interface Caller {
  /** IP address, past trusted proxies. */
  readonly address: string;
  readonly key: ApiKeyRow | null;
  /** The call carries the admin key. A local address proves nothing: a proxy may run on this machine. */
  readonly isOperator: () => boolean;
}

export interface Call<Query = unknown, Body = unknown, Headers = unknown> {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  /** Known query parameters, coerced by the route's schema. */
  readonly query: Query;
  /** Parsed JSON body, checked by the route's schema. */
  readonly body: Body;
  /** Headers that the route takes, under its names, coerced by its schema. */
  readonly headers: Headers;
  /** Raw query string without the question mark. */
  readonly search: string;
  /** The caller prefers HTML to JSON. */
  readonly isForPeople: () => boolean;
  /** Its lines carry the id of the request. */
  readonly log: Logger;
}

export interface Answer {
  readonly status: number;
  /** Sent as JSON, or unchanged when `contentType` is given. */
  readonly body: unknown;
  /** In place of the body: writes to the response and ends it. */
  readonly stream?: (response: ServerResponse) => void;
  readonly contentType?: string;
  /** Override common headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type DocumentedError = ErrorCode | readonly [code: ErrorCode, status: number];

export type Tag =
  | 'Quotes'
  | 'Requests'
  | 'Transactions'
  | 'Holds'
  | 'Chains'
  | 'Currencies'
  | 'Service'
  | 'Keys'
  | 'Webhooks'
  | 'Operators';

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [Tag];
  readonly deprecated?: boolean;
  readonly rate: RateGroup;
  readonly access: Access;
  /** Scope that a key needs. The route decides about calls without a key. */
  readonly scope?: Scope;
  /** Evaluated first: headers of every answer including errors, and an answer that replaces all else. */
  readonly first?: () => {
    readonly headers: Readonly<Record<string, string>>;
    readonly instead?: Answer | ApiError | undefined;
  };
  /** Errors carry their code as `error` too, as clients of this path read it. */
  readonly hasErrorField?: true;
  /** Replaces the common 429 with its Retry-After. */
  readonly limited?: () => Answer;
  readonly params?: Readonly<Record<string, Schema>>;
  readonly query?: Schema;
  readonly body?: Schema;
  /** Without the headers that all routes read. */
  readonly takesHeaders?: Schema;
  /**
   * A valid key, also as `?apiKey=`, counts only against the number of open streams. The route itself handles
   * overload.
   */
  readonly isStream?: true;
  /**
   * Every 2xx, and errors with a body of their own. A schema with `contentMediaType` is sent as that type, others as
   * JSON.
   */
  readonly answers: Readonly<Record<number, Schema>>;
  /** In addition to the errors common to all routes (malformed, no key, limits, failures). */
  readonly errors?: readonly DocumentedError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Catalogue errors may be returned or thrown; any other throw is a 500. */
  readonly handle: (call: Call) => Promise<Answer | ApiError> | Answer | ApiError;
}

export function route<Query = unknown, Body = unknown, Headers = unknown>(
  row: Omit<Route, 'handle' | 'query' | 'body' | 'takesHeaders'> & {
    readonly query?: Shape<Query>;
    readonly body?: Shape<Body>;
    readonly takesHeaders?: Shape<Headers>;
    readonly handle: (call: Call<Query, Body, Headers>) => Promise<Answer | ApiError> | Answer | ApiError;
  },
): Route {
  return row as Route;
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}
