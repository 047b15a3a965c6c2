import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../src/api/openapi/document.js';
import { EXAMPLE_IDS } from '../../src/api/openapi/examples/index.js';
import { ERROR_CATALOGUE } from '../../src/errors/catalogue.js';
import { type Documented, documented } from './support/documented.js';
import { type RunningApi, runningApi } from './support/running-api.js';

type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly schema: Json;
  readonly example?: string | number | boolean;
}

type Content = Readonly<Record<string, { readonly schema: Json; readonly example?: unknown }>>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

const RATES = {
  quotes: { default: { requests: 37, seconds: 60 }, elevated: { requests: 41, seconds: 1 } },
  status: { default: { requests: 43, seconds: 1 }, elevated: { requests: 43, seconds: 1 } },
  requests: { elevated: { requests: 47, seconds: 3_600 } },
};

let api: RunningApi;
let document: OpenApiDocument;
let page: string;
let judge: Documented;

beforeAll(async () => {
  api = await runningApi({
    options: { anonymousRead: 'off', rateLimits: RATES, corsOrigins: ['*'], trustedProxies: [] },
  });
  document = (await api.call('GET', '/openapi.json')).body as OpenApiDocument;
  page = (await api.call('GET', '/docs')).body as string;
  judge = documented(document);
});
afterAll(() => api.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => {
      return { method: method.toUpperCase(), path, operation: one as unknown as Operation };
    }),
  );

/** Rejects unnamed fields. */
function strict(schema: Json) {
  const defs = JSON.stringify({ ...schema, $defs: document.components['schemas'] });
  return new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
    JSON.parse(defs.replaceAll('#/components/schemas/', '#/$defs/')) as Json,
  );
}

describe('every operation', () => {
  it('has a title of its own, in words that can be searched', () => {
    const titles = operations().map(({ operation }) => operation.summary);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
    for (const title of titles) expect(title).toMatch(/^(?!GET|POST)[A-Z][^/{}]*[^.]$/);
  });

  it('says in sentences what it does', () => {
    const silent = operations().filter(({ operation }) => !/^.{20,}\.$/s.test(operation.description ?? ''));
    expect(silent.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  it('shows what it must be given', () => {
    const lacking = operations().flatMap(({ operation: { operationId, parameters = [], requestBody } }) => [
      ...parameters
        .filter((one) => one.required && one.example === undefined)
        .map((one) => `${operationId}.${one.name}`),
      ...(requestBody && requestBody.content['application/json']?.example === undefined ? [operationId] : []),
    ]);
    expect(lacking).toEqual([]);
  });

  it('shows an answer', () => {
    const lacking = operations().filter(({ operation }) => answersOf(operation).length === 0);
    expect(lacking.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  it('is the only one that its example is of', () => {
    expect([...EXAMPLE_IDS].sort()).toEqual(
      operations()
        .map(({ operation }) => operation.operationId)
        .sort(),
    );
  });
});

describe('every example', () => {
  it('of a parameter is what the parameter takes', () => {
    const given = operations().flatMap(({ operation }) =>
      (operation.parameters ?? []).filter((one) => one.example !== undefined),
    );
    expect(given.length).toBeGreaterThan(30);
    for (const { name, schema, example } of given) expect(strict(schema)(example), `${name} ${example}`).toBe(true);
  });

  it('of a body is what the operation takes, and names no field that it does not', () => {
    for (const { operation } of operations()) {
      for (const { schema, example } of Object.values(operation.requestBody?.content ?? {})) {
        const validate = strict(schema);
        expect(validate(example), `${operation.operationId} ${JSON.stringify(validate.errors)}`).toBe(true);
        const known = Object.keys((schema['properties'] ?? {}) as Json);
        expect(Object.keys(example as Json).filter((name) => !known.includes(name))).toEqual([]);
      }
    }
  });

  it('of an answer is as described, to the last field', () => {
    expect(operations().length).toBeGreaterThan(60);
    for (const { method, path, operation } of operations()) {
      for (const [status, contentType, body] of answersOf(operation)) {
        expect(judge(method, path, { status, contentType, body })).toBeUndefined();
      }
    }
  });
});

describe('the introduction', () => {
  const words = () => document.info.description;

  it.each([
    'x-api-key',
    'x-admin-key',
    'causeway api-keys create',
    '/ws',
    'asyncapi.json',
    'continuation',
    'If-None-Match',
  ])('names %s', (name) => {
    expect(words()).toContain(name);
    expect(page).toContain(name);
  });

  it('names the limits as they are configured, and the headers that report them', () => {
    for (const header of ['RateLimit', 'RateLimit-Policy', 'Retry-After']) expect(words()).toContain(`\`${header}\``);
    const lines = words().split('\n');
    const of = (group: string) => lines.find((line) => line.startsWith(`- \`${group}\``)) ?? '';
    expect(of('quotes')).toContain('37 in 60 s');
    expect(of('quotes')).toContain('41 in 1 s');
    expect(of('status')).toContain('43 in 1 s');
    expect(of('requests')).toMatch(/no limit.*47 in 3600 s/);
    expect(of('other')).toContain('no limit');
  });

  it('lists every error code with its status', () => {
    for (const [code, { status }] of Object.entries(ERROR_CATALOGUE)) {
      expect(words()).toMatch(new RegExp(`^- \`${code}\` \\(${status}`, 'm'));
    }
  });
});

describe('the page', () => {
  it('heads each operation with its title, and shows how to call it', () => {
    for (const { operation } of operations()) {
      const section = sectionOf(operation.operationId);
      const title = operation.summary.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
      expect(section).toContain(`>${title}</a></h3>`);
      expect(section).toMatch(/<code>curl -s [^<]+<\/code>/);
    }
  });
});

function sectionOf(id: string): string {
  const start = page.indexOf(`<section id="${id}">`);
  return page.slice(start, page.indexOf('</section>', start));
}

function answersOf({ responses }: Operation): readonly (readonly [number, string, unknown])[] {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    Object.entries(content).flatMap(([type, { example }]) =>
      example === undefined ? [] : [[Number(status), type, example] as const],
    ),
  );
}
