import type { Logger } from '../contract/observability.js';
import type { ApiKeyRow } from '../contract/store-rows.js';
import type { ApiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/catalogue.js';
import type { Scope } from './keys.js';
import type { Schema, Shape } from './schema.js';
import type { ServerResponse } from './server/http-types.js';

export type { Schema } from './schema.js';

/** Which rate a request counts against. `legacyRequests`: all older listings together. `free` counts against none. */
export type RateGroup = 'quotes' | 'status' | 'requests' | 'legacyRequests' | 'other' | 'free';

/** `open`: no key needed, a wrong one is refused. `admin`: the admin key, wherever the caller is. */
export type Access = 'open' | 'admin';

/** Who called, as far as routes may know. */
export interface Caller {
  /** IP address, past trusted proxies. */
  readonly address: string;
  readonly key: ApiKeyRow | null;
  /** The admin key came with the call. From where it came proves nothing: a proxy may stand on this machine. */
  readonly isOperator: () => boolean;
}

/** One request as a route sees it: validated, and free of the web framework. */
export interface Call<Query = unknown, Body = unknown, Headers = unknown> {
  readonly caller: Caller;
  /** Path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Known query parameters, coerced by the route's schema. */
  readonly query: Query;
  /** Parsed JSON body, checked by the route's schema. */
  readonly body: Body;
  /** Those that the route takes, by the names that it gives them, coerced by its schema. */
  readonly headers: Headers;
  /** Raw query string without the question mark. */
  readonly search: string;
  /** The caller is a browser that shows a page: it takes HTML rather than JSON. */
  readonly isForPeople: () => boolean;
  /** Its lines carry the id of the request. */
  readonly log: Logger;
}

export interface Answer {
  readonly status: number;
  /** Sent as JSON, or as it is when `contentType` is given. */
  readonly body: unknown;
  /** In place of the body: writes it for as long as it likes, and ends it. */
  readonly stream?: (response: ServerResponse) => void;
  readonly contentType?: string;
  /** Added to the headers of every answer; replaces a header of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A code with the status the catalogue gives it, or with another. */
export type DocumentedError = ErrorCode | readonly [code: ErrorCode, status: number];

/** Chapters of the description. */
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

/** A row of the route table: feeds the router, the validators and the OpenAPI document. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** As the router reads it: `/requests/:id/signature`. */
  readonly path: string;
  readonly operationId: string;
  /** A few words, without a full stop. */
  readonly summary: string;
  /** What the summary cannot say, in whole sentences. */
  readonly description?: string;
  readonly tags: readonly [Tag];
  readonly deprecated?: boolean;
  readonly rate: RateGroup;
  readonly access: Access;
  /** What a key must be allowed to do. Calls without a key are the route's to judge. */
  readonly scope?: Scope;
  /** Asked before anything else: headers of every answer, errors too, and what is answered instead of all else. */
  readonly first?: () => {
    readonly headers: Readonly<Record<string, string>>;
    readonly instead?: Answer | ApiError | undefined;
  };
  /** Answered above the rate instead of the common 429 with its Retry-After. */
  readonly limited?: () => Answer;
  /** Path parameters by name: every parameter of the path, as text. */
  readonly params?: Readonly<Record<string, Schema>>;
  readonly query?: Schema;
  readonly body?: Schema;
  /** Headers that it reads, without those that all routes read. */
  readonly takesHeaders?: Schema;
  /**
   * Its answer stays open. A valid key counts against no rate, only against how many may be open, and may come as `?apiKey=` as well; and it
   * is the route's to say what happens when there is too much to do.
   */
  readonly isStream?: true;
  /**
   * What is answered, by status: every 2xx, and errors whose body is not the common one. A schema with
   * `contentMediaType` is sent as that type, others as JSON.
   */
  readonly answers: Readonly<Record<number, Schema>>;
  /** Errors of the catalogue, besides the errors common to all routes (malformed, no key, limits, failures). */
  readonly errors?: readonly DocumentedError[];
  /** Headers that only this route's answers carry, and what they mean. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Errors of the catalogue may be returned or thrown; anything else that is thrown is a 500. */
  readonly handle: (call: Call) => Promise<Answer | ApiError> | Answer | ApiError;
}

/** The types are those of the schemas, or stand for what untyped schemas guarantee. */
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
