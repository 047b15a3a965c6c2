import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../src/api/openapi/document.js';
import { type RunningApi, runningApi } from './support/running-api.js';

type Json = Readonly<Record<string, unknown>>;

let api: RunningApi;
let document: OpenApiDocument;

beforeAll(async () => {
  api = await runningApi();
  document = (await api.call('GET', '/openapi.json')).body as OpenApiDocument;
});
afterAll(() => api.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as Json })),
  );

/** With JSON pointers. */
function* objects(value: unknown, at = '#'): Generator<readonly [string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Json];
  for (const [key, one] of Object.entries(value)) yield* objects(one, `${at}/${key}`);
}

describe('the OpenAPI document', () => {
  it('is the one that the interface names', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.title).toBe('Cross-chain solver');
    expect(document.info.version).toBe('1.0.0');
    expect(Object.keys(document.components['securitySchemes'] ?? {})).toEqual(['apiKey', 'adminKey', 'adminBearer']);
  });

  it('names every operation once, in words', () => {
    const ids = operations().map(({ operation }) => operation['operationId']);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations()) {
      expect(operation['summary'], path).toMatch(/^[A-Z].*[^.]$/);
      expect(operation['tags'], path).toHaveLength(1);
    }
  });

  it('refers to nothing that it does not hold', () => {
    const refs = [...objects(document)].flatMap(([at, value]) =>
      typeof value['$ref'] === 'string' ? [[at, value['$ref']]] : [],
    );
    expect(refs.length).toBeGreaterThan(100);
    for (const [at = '', ref = ''] of refs) {
      const target = ref
        .split('/')
        .slice(1)
        .reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document);
      expect(target, `${at} refers to ${ref}`).toBeTypeOf('object');
    }
  });

  it('holds no component that nothing refers to', () => {
    const text = JSON.stringify(document);
    for (const kind of ['schemas', 'headers'] as const) {
      for (const name of Object.keys(document.components[kind] ?? {})) {
        expect(text.includes(`"#/components/${kind}/${name}"`), name).toBe(true);
      }
    }
  });

  it('declares each path parameter, and no other', () => {
    for (const { path, operation } of operations()) {
      const parameters = (operation['parameters'] ?? []) as readonly Json[];
      const declared = parameters.filter((one) => one['in'] === 'path');
      expect(
        declared.map((one) => one['name']),
        path,
      ).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      for (const one of declared) expect(one['required']).toBe(true);
    }
  });

  it('gives every operation a success, and every error the common shape', () => {
    for (const { path, operation } of operations()) {
      const responses = operation['responses'] as Readonly<
        Record<string, { readonly content?: Json; readonly description: string }>
      >;
      expect(Object.keys(responses), path).toContain('200');
      for (const [status, response] of Object.entries(responses)) {
        expect(response.description).not.toBe('');
        if (Number(status) >= 400)
          expect(JSON.stringify(response.content), `${path} ${status}`).toContain('#/components/schemas/Error');
      }
    }
  });

  it('consists of schemas that compile strictly', () => {
    const schemas = [...objects(document.paths)].flatMap(([at, value]) =>
      'schema' in value ? [[at, value['schema'] as Json] as const] : [],
    );
    expect(schemas.length).toBeGreaterThan(50);
    const { ajv, local } = compiler();
    for (const [at, schema] of [...schemas, ...Object.entries(document.components['schemas'] ?? {})]) {
      expect(() => ajv.compile(local(schema)), at).not.toThrow();
    }
  });

  it('gives no example that it would refuse', () => {
    const { ajv, local } = compiler();
    const given = [...objects(document)].filter(([, value]) => Array.isArray(value['examples']));
    expect(given.length).toBeGreaterThan(3);
    for (const [at, schema] of given) {
      const validate = ajv.compile(local(schema));
      for (const example of schema['examples'] as readonly unknown[]) {
        expect(validate(example), `${at}: ${JSON.stringify(validate.errors)}`).toBe(true);
      }
    }
  });
});

function compiler() {
  const local = (schema: Json) =>
    JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', 'document#/$defs/')) as Json;
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  ajv.addSchema(local({ $id: 'document', $defs: document.components['schemas'] }));
  return { ajv, local };
}
