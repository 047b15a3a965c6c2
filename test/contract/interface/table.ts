import type { Reply } from '../../../core/test/api/support/running-api.js';
import type { Seed, World } from './world.js';

/** A value, or what makes one of the world's ids and hashes. */
export type Of<T> = T | ((world: World) => T);

export type Query = Readonly<Record<string, string | number | boolean>>;

/** One real request, and how its answer is judged. Any answer must also be as `/openapi.json` describes it. */
export interface Ask {
  readonly call: Of<`${'GET' | 'POST'} /${string}`>;
  readonly query?: Of<Query>;
  readonly body?: Of<unknown>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Who asks: the holder of `key-1` unless said otherwise. */
  readonly as?: 'key' | 'other' | 'nobody';
  /** What the world is like for this request. */
  readonly given?: (world: World) => void;
  /** 200 unless said otherwise. */
  readonly status?: number;
  /** The body has at least this. */
  readonly has?: Of<unknown>;
  /** These requests are listed, and no others. */
  readonly finds?: readonly Seed[];
  /** These, in this order. */
  readonly inOrder?: readonly Seed[];
  readonly judge?: (reply: Reply, world: World) => void | Promise<void>;
}

/** A test that shows what needs chains. Its file must have a test of that very name. */
export interface ShownBy {
  readonly file: string;
  readonly title: string;
}

/** One row of a table of the interface: one test. */
export interface Row {
  /** As the interface names it. */
  readonly name: string;
  readonly type?: string;
  readonly default?: string;
  /** What the interface says of it, in short. */
  readonly rule: string;
  readonly asks?: readonly Ask[];
  /** What takes more than single requests. */
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
