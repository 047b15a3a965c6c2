import type { Schema } from '../schema.js';

const ONE = new Set(['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else']);
const SEVERAL = new Set(['anyOf', 'allOf', 'oneOf', 'prefixItems']);
const BY_NAME = new Set(['properties', 'patternProperties', 'dependentSchemas']);

/**
 * The document holds each titled schema once; descriptions stay in place. Throws when two different schemas have one
 * title.
 */
export class Hoist {
  readonly #schemas = new Map<string, Schema>();

  components(): Readonly<Record<string, Schema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  schema(schema: Schema): Schema {
    const { title, description, ...rest } = schema;
    if (typeof title !== 'string') return this.#inside(schema);
    const component = this.#inside(rest);
    const known = this.#schemas.get(title);
    if (known && JSON.stringify(known) !== JSON.stringify(component)) {
      throw new Error(`two schemas that differ are called ${title}`);
    }
    this.#schemas.set(title, component);
    return { $ref: `#/components/schemas/${title}`, ...(description === undefined ? {} : { description }) };
  }

  #inside(schema: Schema): Schema {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        if (ONE.has(keyword) && isSchema(value)) return [keyword, this.schema(value)];
        if (SEVERAL.has(keyword)) return [keyword, (value as readonly Schema[]).map((one) => this.schema(one))];
        if (!BY_NAME.has(keyword)) return [keyword, value];
        const entries = Object.entries(value as Readonly<Record<string, Schema>>);
        return [keyword, Object.fromEntries(entries.map(([name, one]) => [name, this.schema(one)]))];
      }),
    );
  }
}

/** `additionalProperties` and similar may be a boolean. */
function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
