/** A JSON schema, or a part of the OpenAPI document. */
type Json = Readonly<Record<string, unknown>>;

const SAFE = /^[A-Za-z_$][\w$]*$/;

/**
 * TypeScript source with the type of each named operation (`GET /chains`): its query, its body, its first answer, and the
 * schemas that these refer to.
 *
 * @throws where the document has no such operation.
 */
export function typesOf(document: Json, operations: readonly string[]): string {
  const used = new Set<string>();
  const rows = [...operations]
    .sort()
    .map((name) => `  ${JSON.stringify(name)}: ${operationType(document, name, used)};`);
  const schemas = (document['components'] as Json)['schemas'] as Readonly<Record<string, Json>>;
  const written = new Map<string, string>();
  for (;;) {
    const open = [...used].filter((name) => !written.has(name));
    if (open.length === 0) break;
    for (const name of open) written.set(name, `export type ${name} = ${typeOf(schemas[name] ?? {}, used)};`);
  }
  const named = [...written.keys()].sort().map((name) => written.get(name));
  return [
    "// Written from the service's OpenAPI document by test/contract/dashboard-types.test.ts; see there.",
    ...named,
    `export interface Operations {\n${rows.join('\n')}\n}`,
    '',
  ].join('\n\n');
}

function operationType(document: Json, name: string, used: Set<string>): string {
  const [method = '', path = ''] = name.split(' ');
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Json>>>>;
  const operation = paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`the document has no ${name}`);
  const parameters = (operation['parameters'] ?? []) as readonly Json[];
  const query = parameters.filter((each) => each['in'] === 'query');
  const fields = query.map((each) => `${keyOf(String(each['name']))}?: ${typeOf(each['schema'] as Json, used)}`);
  const responses = operation['responses'] as Readonly<Record<string, Json>>;
  const body = contentOf(operation['requestBody'] as Json | undefined);
  const answer = contentOf(responses['200'] ?? responses['201']);
  return `{ query: { ${fields.join('; ')} }; body: ${body ? typeOf(body, used) : 'undefined'}; answer: ${answer ? typeOf(answer, used) : 'unknown'} }`;
}

function contentOf(part: Json | undefined): Json | undefined {
  const content = part?.['content'] as Readonly<Record<string, Json>> | undefined;
  return content?.['application/json']?.['schema'] as Json | undefined;
}

function typeOf(schema: Json, used: Set<string>): string {
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const name = ref.split('/').at(-1) ?? '';
    used.add(name);
    return name;
  }
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map((one) => JSON.stringify(one)).join(' | ');
  const choices = (schema['anyOf'] ?? schema['oneOf']) as readonly Json[] | undefined;
  if (choices) return unique(choices.map((one) => typeOf(one, used))).join(' | ');
  const all = schema['allOf'] as readonly Json[] | undefined;
  if (all) return all.map((one) => `(${typeOf(one, used)})`).join(' & ');
  const type = schema['type'];
  if (Array.isArray(type)) return unique(type.map((one) => simple(one, schema, used))).join(' | ');
  return simple(type, schema, used);
}

function simple(type: unknown, schema: Json, used: Set<string>): string {
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array') return `readonly (${typeOf((schema['items'] ?? {}) as Json, used)})[]`;
  if (type === 'object') return objectType(schema, used);
  return 'unknown';
}

function objectType(schema: Json, used: Set<string>): string {
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const fields = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Json>>);
  const more = schema['additionalProperties'];
  if (fields.length === 0)
    return typeof more === 'object'
      ? `Readonly<Record<string, ${typeOf(more as Json, used)}>>`
      : 'Readonly<Record<string, unknown>>';
  const rows = fields.map(
    ([key, one]) => `readonly ${keyOf(key)}${required.has(key) ? '' : '?'}: ${typeOf(one, used)}`,
  );
  return `{ ${rows.join('; ')} }`;
}

const keyOf = (name: string) => (SAFE.test(name) ? name : JSON.stringify(name));
const unique = (types: readonly string[]) => [...new Set(types)];
