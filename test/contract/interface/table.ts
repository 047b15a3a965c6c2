import type { Reply } from '../../../core/test/api/support/running-api.js';
import type { Seed, World } from './world.js';

/** A value, or a function of the world's ids and hashes. */
export type Of<T> = T | ((world: World) => T);

export type Query = Readonly<Record<string, string | number | boolean>>;

/** One real request and its checks. Every response must also match `/openapi.json`. */
export interface Ask {
  readonly call: Of<`${'GET' | 'POST'} /${string}`>;
  readonly query?: Of<Query>;
  readonly body?: Of<unknown>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the holder of `key-1`. */
  readonly as?: 'key' | 'other' | 'nobody';
  /** Prepares the world for this request. */
  readonly given?: (world: World) => void;
  /** Default 200. */
  readonly status?: number;
  /** The body has at least this. */
  readonly has?: Of<unknown>;
  /** Exactly these requests are listed. */
  readonly finds?: readonly Seed[];
  readonly inOrder?: readonly Seed[];
  readonly judge?: (reply: Reply, world: World) => void | Promise<void>;
}

/** A test for what needs chains. Its file must have a test of exactly that name. */
export interface ShownBy {
  readonly file: string;
  readonly title: string;
}

/** One row of a table of the interface: one test. */
export interface Row {
  readonly name: string;
  readonly type?: string;
  readonly default?: string;
  readonly rule: string;
  readonly asks?: readonly Ask[];
  /** Checks beyond single requests. */
  readonly shows?: (world: World) => Promise<void>;
  readonly shownBy?: readonly ShownBy[];
}

export interface Table {
  readonly title: string;
  readonly endpoint: string;
  readonly where: 'query' | 'body' | 'header' | 'answer' | 'rule';
  readonly rows: readonly Row[];
}

export const test = (file: string, title: string): ShownBy => ({ file, title });
