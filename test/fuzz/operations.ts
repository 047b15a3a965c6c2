export type Json = Readonly<Record<string, unknown>>;

export interface Named {
  readonly name: string;
  readonly schema: Json;
  readonly required: boolean;
}

/** A row of the route table as the service describes it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly template: string;
  readonly params: readonly Named[];
  readonly query: readonly Named[];
  readonly body: Json | undefined;
  readonly access: 'open' | 'local' | 'admin';
}

interface Described {
  readonly operationId: string;
  readonly security: readonly Json[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Json;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
}

/** All operations of a served OpenAPI document. */
export function operationsOf(document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}): readonly Operation[] {
  const schemas = document.components['schemas'] ?? {};
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, one]) => {
      const { operationId, security, parameters = [], requestBody } = one as unknown as Described;
      const named = (where: string) =>
        parameters
          .filter((each) => each.in === where)
          .map(({ name, schema, required }) => ({
            name,
            schema: followed(schema, schemas),
            required: required ?? false,
          }));
      const body = requestBody?.content['application/json']?.schema;
      return {
        id: operationId,
        method: method.toUpperCase(),
        template,
        params: named('path'),
        query: named('query'),
        body: body === undefined ? undefined : followed(body, schemas),
        access: accessOf(security),
      };
    }),
  );
}

function accessOf(security: readonly Json[]): Operation['access'] {
  const admin = security.some((one) => 'adminKey' in one);
  const none = security.some((one) => Object.keys(one).length === 0);
  return admin ? (none ? 'local' : 'admin') : 'open';
}

function followed(schema: unknown, schemas: Readonly<Record<string, Json>>): Json {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    if (typeof value !== 'object' || value === null) return value;
    const reference = (value as Json)['$ref'];
    if (typeof reference === 'string') return inside(schemas[reference.split('/').at(-1) ?? ''] ?? {});
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inside(one)]));
  };
  return inside(schema) as Json;
}
