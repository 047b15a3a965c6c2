import type { ApiKeyRow } from '../contract/store-rows.js';
import type { ApiError } from '../errors/api-error.js';

/** JSON Schema (2020-12). */
export type Schema = Readonly<Record<string, unknown>>;

/** Which rate a request counts against. `free` counts against none. */
export type RateGroup = 'quotes' | 'status' | 'requests' | 'other' | 'free';

/** `open`: no key needed, a wrong one is refused. `admin`: the admin key. `local`: the admin key, or this machine. */
export type Access = 'open' | 'admin' | 'local';

/** Who called, as far as routes may know. */
export interface Caller {
  /** IP address, past trusted proxies. */
  readonly address: string;
  readonly key: ApiKeyRow | null;
  /** The call came from this machine, through no proxy. */
  readonly isLocal: () => boolean;
}

/** One request as a route sees it: validated, and free of the web framework. */
export interface Call<Query = unknown, Body = unknown> {
  readonly caller: Caller;
  /** Path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Known query parameters, coerced by the route's schema. */
  readonly query: Query;
  /** Parsed JSON body, checked by the route's schema. */
  readonly body: Body;
  /** Raw query string without the question mark. */
  readonly search: string;
}

export interface Answer {
  readonly status: number;
  /** Sent as JSON, or as it is when `contentType` is given. */
  readonly body: unknown;
  readonly contentType?: string;
}

/** A row of the route table: feeds the router and the validators, and will feed the machine-readable description. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly operationId: string;
  readonly rate: RateGroup;
  readonly access: Access;
  readonly query?: Schema;
  readonly body?: Schema;
  /** Errors of the catalogue may be returned or thrown; anything else that is thrown is a 500. */
  readonly handle: (call: Call) => Promise<Answer | ApiError> | Answer | ApiError;
}

/** The types stand for what the schemas guarantee. */
export function route<Query = unknown, Body = unknown>(
  row: Omit<Route, 'handle'> & {
    readonly handle: (call: Call<Query, Body>) => Promise<Answer | ApiError> | Answer | ApiError;
  },
): Route {
  return row as Route;
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}
