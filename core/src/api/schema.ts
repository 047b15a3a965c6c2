/** JSON Schema (2020-12). */
export type Schema = Readonly<Record<string, unknown>>;

declare const TYPE: unique symbol;

/** A schema with the type it guarantees: one source for validation, description and types. */
export type Shape<T> = Schema & { readonly [TYPE]?: T };

export type TypeOf<S> = S extends { readonly [TYPE]?: infer T } ? Exclude<T, undefined> : never;

type Shapes = Readonly<Record<string, Schema>>;

type Fields<Required extends Shapes, Optional extends Shapes> = {
  readonly [K in keyof Required]: TypeOf<Required[K]>;
} & { readonly [K in keyof Optional]?: TypeOf<Optional[K]> };

export function text(rules: Schema = {}): Shape<string> {
  return { type: 'string', ...rules };
}

export function number(rules: Schema = {}): Shape<number> {
  return { type: 'number', ...rules };
}

export function integer(rules: Schema = {}): Shape<number> {
  return { type: 'integer', ...rules };
}

export function flag(rules: Schema = {}): Shape<boolean> {
  return { type: 'boolean', ...rules };
}

export function oneOf<const Value extends string>(values: readonly Value[], rules: Schema = {}): Shape<Value> {
  return { type: 'string', enum: values, ...rules };
}

export function list<S extends Schema>(items: S, rules: Schema = {}): Shape<readonly TypeOf<S>[]> {
  return { type: 'array', items, ...rules };
}

/** Required fields, then optional ones. Unlisted fields pass. */
export function object<Required extends Shapes, Optional extends Shapes = Record<never, never>>(
  required: Required,
  optional?: Optional,
  rules: Schema = {},
): Shape<Fields<Required, Optional>> {
  const names = Object.keys(required);
  return {
    type: 'object',
    ...(names.length === 0 ? {} : { required: names }),
    properties: { ...required, ...optional },
    ...rules,
  };
}

/** An object without a required field. */
export function needsNothing(schema: Schema): boolean {
  return schema['type'] === 'object' && schema['required'] === undefined;
}

export function mapOf<S extends Schema>(values: S): Shape<Readonly<Record<string, TypeOf<S>>>> {
  return { type: 'object', additionalProperties: values };
}

export function anything(rules: Schema = {}): Shape<unknown> {
  return rules;
}

export function nullable<S extends Schema>(schema: S): Shape<TypeOf<S> | null> {
  const { type } = schema;
  const plain = typeof type === 'string' && schema['title'] === undefined;
  if (!plain) return { anyOf: [schema, { type: 'null' }] };
  const values = schema['enum'] as readonly unknown[] | undefined;
  return { ...schema, type: [type, 'null'], ...(values ? { enum: [...values, null] } : {}) };
}

export function anyOf<const S extends readonly Schema[]>(...schemas: S): Shape<TypeOf<S[number]>> {
  return { anyOf: schemas };
}

export function described<S extends Schema>(schema: S, description: string): S {
  return { ...schema, description };
}

/** The OpenAPI document holds the schema once under this name. */
export function named<S extends Schema>(title: string, schema: S): S {
  return { title, ...schema };
}
