import { expect } from 'vitest';
import { ask } from '../../../core/test/api/support/running-api.js';
import type { Ask, Of, Query, Row } from './table.js';
import type { Seed, World } from './world.js';

const LIST = 'GET /requests/v3';

export const finds = (query: Of<Query>, ...seeds: readonly Seed[]): Ask => ({ call: LIST, query, finds: seeds });
export const inOrder = (query: Of<Query>, ...seeds: readonly Seed[]): Ask => ({ call: LIST, query, inOrder: seeds });

export const invalid = (field: string, ...values: readonly (string | number | boolean)[]): readonly Ask[] =>
  values.map((value) => ({
    call: LIST,
    query: { [field]: value },
    status: 400,
    has: { errorCode: 'INVALID_REQUEST', statusCode: 400, errorData: { field, reason: expect.any(String) } },
  }));

type Body = Readonly<Record<string, unknown>>;

const QUOTE_PATHS = ['/quote/v2', '/quote', '/price'] as const;

export const PRICED = { fees: { gas: {}, relayer: {} }, details: { currencyIn: {}, currencyOut: {} } };

export const quotes = (change: Body, has?: Of<unknown>): readonly Ask[] =>
  QUOTE_PATHS.map((path) => ({ call: `POST ${path}`, body: ask(change), has: has ?? PRICED }));

export const refuses = (
  change: Body,
  errorCode: string,
  { status = 400, field = undefined as string | undefined, given = undefined as Ask['given'] } = {},
): readonly Ask[] =>
  QUOTE_PATHS.map((path) => ({
    call: `POST ${path}`,
    body: ask(change),
    status,
    has: {
      errorCode,
      statusCode: status,
      message: expect.stringMatching(/./),
      ...(field === undefined ? {} : { errorData: { field } }),
    },
    ...(given ? { given } : {}),
  }));

type Kind = 'string' | 'number' | 'boolean' | 'array' | 'object';

interface Shown {
  readonly of?: Seed;
  readonly is?: Of<unknown>;
  readonly nullIn?: Seed;
  readonly absentIn?: Seed;
  readonly query?: Query;
  readonly as?: Ask['as'];
}

/** A field of the request record, by its path; `[]` is the first element. */
export function recordField(
  name: string,
  type: Kind,
  rule: string,
  { of = 'success', is, nullIn, absentIn, query = {}, as = 'key' }: Shown = {},
  prefix = '',
): Row {
  const at = (seed: Seed, judge: (value: unknown, world: World) => void): Ask => ({
    call: LIST,
    query: (world) => ({ id: world.seeds[seed].id, ...query }),
    as,
    judge: ({ body }, world) => judge(valueAt(body.requests[0], prefix + name), world),
  });
  const asks = [
    at(of, (value, world) => {
      expect(kindOf(value), `${prefix}${name}`).toBe(type);
      const wanted = typeof is === 'function' ? (is as (world: World) => unknown)(world) : is;
      if (wanted !== undefined) expect({ value }).toMatchObject({ value: wanted });
    }),
  ];
  if (nullIn) asks.push(at(nullIn, (value) => expect(value, `${prefix}${name}`).toBeNull()));
  if (absentIn) asks.push(at(absentIn, (value) => expect(value, `${prefix}${name}`).toBeUndefined()));
  return { name, type: nullIn ? `${type}, nullable` : type, rule, asks };
}

export function quoteField(name: string, type: Kind, rule: string, is?: unknown, change: Body = {}): Row {
  const judged: Ask = {
    call: 'POST /quote/v2',
    body: ask(change),
    judge: ({ body }) => {
      const value = valueAt(body, name);
      expect(kindOf(value), name).toBe(type);
      if (is !== undefined) expect({ value }).toMatchObject({ value: is });
    },
  };
  return { name, type, rule, asks: [judged] };
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

/** `steps[].items[].data.to`: `[]` is the first element. */
export function valueAt(root: unknown, path: string): unknown {
  const keys = path.replaceAll('[]', '.0').split('.');
  return keys.reduce<unknown>((value, key) => (value as Body | undefined)?.[key], root);
}

/** A field of a later capability: described in the schema, and refused where it would be needed. */
export function laterField(name: string, type: string, rule: string, schema: string, refused: readonly Ask[]): Row {
  const described: Ask = {
    call: 'GET /openapi.json',
    judge: ({ body }) => {
      const field = body.components.schemas[schema]?.properties?.[name];
      expect(field, `${schema}.${name}`).toBeTypeOf('object');
      expect(JSON.stringify(field)).toContain(`"${type}"`);
    },
  };
  return { name, type, rule, asks: [described, ...refused] };
}
