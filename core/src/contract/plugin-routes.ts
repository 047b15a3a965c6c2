import type { Logger } from './observability.js';

/** `open`: no key needed, a wrong one is refused. `key`: a valid API key. `admin`: the admin key. Sent with the call. */
export type PluginAccess = 'open' | 'key' | 'admin';

export type PluginMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** On whose authority the REST interface is called. Names a key and holds no secret. */
export type Principal =
  | { readonly role: 'admin' }
  | { readonly role: 'integrator'; readonly keyId: string; readonly integratorId: string };

/** A principal as it stands now. */
export interface Identity {
  readonly principal: Principal;
  /** Of the key; null where it has none. */
  readonly name: string | null;
  /** When the key expires, in Unix milliseconds; null: never. */
  readonly expiresAt: number | null;
}

/** What a plugin learns about keys without storing them. Read from the store at each call. */
export interface Principals {
  /** Of an API key or the admin key; undefined: not valid. */
  identify(key: string): Promise<Identity | undefined>;
  /** Undefined once the key is revoked or has expired. */
  standing(principal: Principal): Promise<Identity | undefined>;
}

/** Small texts of a plugin in the database, so that all processes of the service have the same. */
export interface SharedRecords {
  read(name: string): Promise<string | undefined>;
  /**
   * Durable when it resolves. `change` gets the newest text and runs again where another process was faster; nothing is
   * written where it returns the same.
   *
   * @throws for texts over 65,536 characters; ApiError SERVICE_UNAVAILABLE when others keep changing the record.
   */
  change(name: string, change: (text: string | undefined) => string): Promise<void>;
}

export interface PluginCall {
  readonly method: PluginMethod;
  /** As sent, below the mount point, with its first slash; never decoded. */
  readonly path: string;
  /** Raw, without the question mark. */
  readonly search: string;
  readonly query: URLSearchParams;
  /** By lower-case name; of a repeated header, the values joined. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** IP address of the client, past trusted proxies. */
  readonly address: string;
  /** The unit of rate limits: the address, or its IPv6 /64. */
  readonly network: string;
  /** Whose key came with the call; null where none did. */
  readonly caller: Principal | null;
  readonly principals: Principals;
  readonly records: SharedRecords;
  /**
   * The body, at most 256 KiB of JSON.
   *
   * @throws ApiError INVALID_REQUEST, which is the answer where it is not caught.
   */
  json(): Promise<unknown>;
  readonly log: Logger;
}

interface AnswerHead {
  /** Default 200. */
  readonly status?: number;
  /** Replace the common ones (content security policy, caching) of the same name. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

export type PluginAnswer =
  | (AnswerHead & { readonly json: unknown })
  /** An empty body with the content type left out is for 204 and 304. */
  | (AnswerHead & { readonly body: string | Uint8Array; readonly contentType?: string })
  /** Stays open until the iterable ends or the client leaves, which calls its `return`. No longer counts as load. */
  | (AnswerHead & { readonly stream: AsyncIterable<string | Uint8Array>; readonly contentType: string })
  /**
   * The REST interface answers instead, in this process: same method, body and headers, under its own limits, with the
   * authority of `as` alone; keys sent with the call count for nothing. Null: without authority. A principal that ended: 401.
   */
  | { readonly forward: string; readonly as: Principal | null };

export interface PluginRoute {
  /** GET answers HEAD too. `*`: any. */
  readonly method: PluginMethod | '*';
  /** Exact, such as `/session`; or ending in `/*`, which matches any rest. */
  readonly path: string;
  readonly access: PluginAccess;
  /** `free`: uncounted, for what a limit of the forwarded route counts. Default `other`. */
  readonly rate?: 'other' | 'free';
  /** An ApiError may be thrown; any other throw is a 500. */
  handle(call: PluginCall): Promise<PluginAnswer> | PluginAnswer;
}

export interface PluginRoutes {
  /** JSON under `/plugins/<id>`, open to all. */
  get(path: string, handler: (query: URLSearchParams) => Promise<unknown>): void;
  /** Under `/plugins/<id>`. Exact paths come before those with `/*`, longer ones before shorter. */
  add(route: PluginRoute): void;
  /**
   * A first segment of paths of its own, such as `/dashboard`.
   *
   * @throws where the name is not kebab-case or belongs to another plugin; the start fails where the service serves it.
   */
  mount(name: string): Pick<PluginRoutes, 'add'>;
}
