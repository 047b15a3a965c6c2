import type { Reply } from '../../../core/test/api/support/running-api.js';
import type { Seed, World } from './world.js';

export type Of<T> = T | ((world: World) => T);

export type Query = Readonly<Record<string, string | number | boolean>>;

/** One real request. Every response must also match `/openapi.json`. */
export interface Ask {
  readonly call: Of<`${'GET' | 'POST'} /${string}`>;
  readonly query?: Of<Query>;
  readonly body?: Of<unknown>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly as?: 'key' | 'other' | 'noOne';
  readonly given?: (world: World) => void;
  readonly status?: number;
  readonly has?: Of<unknown>;
  readonly finds?: readonly Seed[];
  readonly inOrder?: readonly Seed[];
  readonly judge?: (reply: Reply, world: World) => void | Promise<void>;
}

/** Its file must have a test of exactly that name. */
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
