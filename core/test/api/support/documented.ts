import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument } from '../../../src/api/openapi/document.js';
import type { Schema } from '../../../src/api/schema.js';

/** The mismatch with the served document; undefined when documented. */
export type Documented = (
  method: string,
  path: string,
  answer: { readonly status: number; readonly contentType: string; readonly body: unknown },
) => string | undefined;

type Json = Readonly<Record<string, unknown>>;

/** Stricter than the OpenAPI document: unnamed fields are wrong, though clients must tolerate them. */
export function documented(document: OpenApiDocument): Documented {
  const strict = closed(document) as OpenApiDocument;
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  ajv.addSchema(local({ $id: 'document', $defs: strict.components['schemas'] }));
  const compiled = new Map<string, ValidateFunction>();
  // The most specific match.
  const templates = Object.keys(document.paths)
    .map((template) => ({ template, pattern: patternOf(template), said: template.replaceAll(/\{\w+\}/g, '').length }))
    .sort((a, b) => b.said - a.said);
  const validator = (schema: Json, name: string): ValidateFunction => {
    const known = compiled.get(name) ?? ajv.compile(local(schema));
    compiled.set(name, known);
    return known;
  };
  return (method, path, { status, contentType, body }) => {
    const plain = path.split('?')[0] ?? '';
    const exact = templates.find(({ template }) => template === plain);
    const found = exact ?? templates.find(({ pattern }) => pattern.test(plain));
    const operation = found && strict.paths[found.template]?.[method.toLowerCase()];
    const where = `${method} ${found?.template ?? plain} ${status}`;
    if (!operation) {
      if (status !== 404 && status !== 405 && status !== 503) return `${where} is not documented`;
      return wrongOf(validator({ $ref: '#/components/schemas/Error' }, 'error'), where, body);
    }
    const response = (operation['responses'] as Json)[String(status)] as { readonly content?: Json } | undefined;
    const type = contentType.split(';')[0] ?? '';
    const content = response?.content?.[type] as { readonly schema: Json } | undefined;
    if (!content) return `${where} as ${type} is not documented`;
    return wrongOf(validator(content.schema, `${where} ${type}`), where, body);
  };
}

function wrongOf(validate: ValidateFunction, where: string, body: unknown): string | undefined {
  if (validate(body)) return undefined;
  const errors = validate.errors?.map(
    ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
  );
  return `${where} is not as documented: ${errors?.slice(0, 8).join('; ')}`;
}

function patternOf(template: string): RegExp {
  const literal = template.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll(/\{\w+\}/g, '.+')}$`);
}

/** Closes objects; parts of an `allOf` stay open. */
function closed(value: unknown, inAllOf = false): unknown {
  if (Array.isArray(value)) return value.map((one) => closed(one, inAllOf));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, closed(one, key === 'allOf')]);
  const schema = Object.fromEntries(entries) as Record<string, unknown>;
  const names = schema['type'] === 'object' && schema['properties'] !== undefined;
  return names && !inAllOf && schema['additionalProperties'] === undefined
    ? { ...schema, additionalProperties: false }
    : schema;
}

/** References as ajv holds them. */
function local(schema: Json): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', 'document#/$defs/')) as Schema;
}
