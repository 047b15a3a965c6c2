import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { bundledValidator } from './bundled-validators.js';
import { article, dropNoise, expectedOf } from './failed-choices.js';
import { nearest } from './nearest.js';
import { SCHEMA_SETTINGS } from './schema-settings.js';
import type { ConfigPath } from './yaml-source.js';
import { parsePath } from './yaml-source.js';

export interface SchemaFinding {
  readonly path: ConfigPath;
  /** The place of the key, not of its value, matters. */
  readonly atKey: boolean;
  readonly message: string;
  readonly advice?: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** Shared: compiling the meta-schemas takes longer than compiling most schemas. */
let shared: Ajv2020 | undefined;

/** Fills in defaults and coerces texts, because interpolated values are texts. */
export function validateAgainst(schema: Schema, value: unknown): readonly SchemaFinding[] {
  const validate = bundledValidator(schema) ?? compiled(schema);
  if (validate(value)) return [];
  return dropNoise(validate.errors ?? []).map(finding);
}

function compiled(schema: Schema): ValidateFunction {
  // Each schema is used once or twice, so optimising it does not pay.
  shared ??= new Ajv2020({ ...SCHEMA_SETTINGS, code: { optimize: false } });
  const validate = shared.compile(schema);
  // Another plugin's schema may have the same `$id`.
  shared.removeSchema(schema);
  return validate;
}

/** Names the expected value, never the actual one: it may be a secret. */
function finding(error: ErrorObject): SchemaFinding {
  const path = parsePath(error.instancePath);
  const schema = (error.parentSchema ?? {}) as {
    description?: string;
    examples?: unknown[];
    default?: unknown;
    properties?: object;
  };
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required': {
      const name = String(params['missingProperty']);
      const property = propertyOf(schema.properties, name);
      const about = property?.description ? ` (${sentence(property.description)})` : '';
      return {
        path,
        atKey: true,
        message: `\`${name}\` is missing`,
        advice: `add \`${name}\`${about}${example(property)}`,
      };
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      const known = Object.keys(schema.properties ?? {});
      const guess = nearest(name, known);
      const advice = guess ? `did you mean \`${guess}\`?` : `known keys: ${known.join(', ') || 'none'}`;
      return { path: [...path, name], atKey: true, message: 'is not a known key', advice };
    }
    case 'enum':
      return { path, atKey: false, message: `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}` };
    case 'anyOf':
    case 'oneOf':
      return { path, atKey: false, message: `must be ${expectedOf(error)}`, ...advise(schema) };
    case 'type':
      return { path, atKey: false, message: `must be ${article(params['type'])}`, ...advise(schema) };
    case 'const':
      return { path, atKey: false, message: `must be ${JSON.stringify(params['allowedValue'])}` };
    case 'pattern':
      return { path, atKey: false, message: 'is not in the expected form', ...advise(schema) };
    default:
      return { path, atKey: false, message: error.message ?? 'is not valid', ...advise(schema) };
  }
}

function propertyOf(
  properties: object | undefined,
  name: string,
): { description?: string; examples?: unknown[]; default?: unknown } | undefined {
  return (
    properties as Record<string, { description?: string; examples?: unknown[]; default?: unknown }> | undefined
  )?.[name];
}

function advise(schema: { description?: string; examples?: unknown[]; default?: unknown }): { advice?: string } {
  const text = `${sentence(schema.description)}${example(schema)}`.trim();
  return text === '' ? {} : { advice: text };
}

function example(schema: { examples?: unknown[]; default?: unknown } | undefined): string {
  const first = schema?.examples?.[0] ?? schema?.default;
  return first === undefined ? '' : `, e.g. ${typeof first === 'string' ? first : JSON.stringify(first)}`;
}

function sentence(text: string | undefined): string {
  return (text ?? '').replace(/\.$/, '');
}
