import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import { type ApiError, invalidRequest } from '../errors/api-error.js';
import { PATTERN_WORDS } from './pattern-words.js';
import { isPlainTextError, NOT_PLAIN_REASON, PLAIN_TEXT, withPlainText } from './plain-text.js';
import { object, type Schema } from './schema.js';

/** Checks a value (and coerces it, for queries); returns an error for the first invalid field. */
export type Validator = (value: unknown) => ApiError | undefined;

/** A test validates the schemas against the dialect: at each start that would take longer than everything else here. */
const SETTINGS = {
  allErrors: false,
  strict: true,
  allowUnionTypes: true,
  validateSchema: false,
  keywords: [PLAIN_TEXT],
};

type Compile = (schema: Schema) => ValidateFunction;

const bodies = compiler(SETTINGS);
const queries = compiler({ ...SETTINGS, coerceTypes: true, useDefaults: true });

/** Schemas are compiled at first use, because most routes of a service are never called, and once in a process. */
export function createValidators(): {
  readonly body: (schema: Schema) => Validator;
  readonly query: (schema: Schema) => Validator;
  /** Path parameters by name; the router guarantees that the required ones exist. */
  readonly params: (schemas: Readonly<Record<string, Schema>>) => Validator;
} {
  return {
    body: (schema) => checked(bodies, schema),
    query: (schema) => checked(queries, schema),
    params: (schemas) => checked(bodies, object({}, schemas)),
  };
}

function compiler(settings: Options): Compile {
  let ajv: Ajv2020 | undefined;
  const known = new WeakMap<Schema, ValidateFunction>();
  return (schema) => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    ajv ??= new Ajv2020(settings);
    const plain = withPlainText(schema);
    const validate = ajv.compile(plain);
    // Kept as long as the schema itself, not as long as the process.
    ajv.removeSchema(plain);
    known.set(schema, validate);
    return validate;
  };
}

function checked(compile: Compile, schema: Schema): Validator {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= compile(schema);
    if (validate(value)) return undefined;
    const [error] = validate.errors ?? [];
    return error ? explain(error) : invalidRequest('body', 'is not valid');
  };
}

function explain(error: ErrorObject): ApiError {
  const path = fieldOf(error.instancePath);
  if (isPlainTextError(error)) return invalidRequest(path, NOT_PLAIN_REASON);
  if (error.keyword === 'required') {
    const name = String((error.params as { missingProperty?: unknown }).missingProperty);
    return invalidRequest(path === '' ? name : `${path}.${name}`, 'is required');
  }
  const { additionalProperty } = error.params as { readonly additionalProperty?: string };
  if (additionalProperty !== undefined)
    return invalidRequest(path === '' ? additionalProperty : `${path}.${additionalProperty}`, 'is not a known field');
  return invalidRequest(path === '' ? 'body' : path, reasonOf(error));
}

function reasonOf({ params, message = 'is not valid' }: ErrorObject): string {
  const { allowedValues, pattern } = params as { allowedValues?: readonly unknown[]; pattern?: string };
  if (allowedValues !== undefined) return `must be one of ${allowedValues.join(', ')}`;
  const words = pattern === undefined ? undefined : PATTERN_WORDS[pattern];
  return words === undefined ? message : `must be ${words}`;
}

/** `/appFees/0/fee` as `appFees[0].fee`. */
function fieldOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '');
}
