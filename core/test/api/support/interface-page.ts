import type { OpenApiDocument } from '../../../src/api/openapi/document.js';

type Schema = Readonly<Record<string, unknown>>;
type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly tags: readonly string[];
  readonly security: readonly Schema[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
}

/** Depth of listed answer fields. */
const DEPTH = 3;

/** Markdown sections of the described operations under some paths. */
export function operationsOf(document: OpenApiDocument, isHere: (path: string) => boolean): string {
  const sections = Object.entries(document.paths)
    .filter(([path]) => isHere(path))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) =>
        section(document, method.toUpperCase(), path, one as unknown as Operation),
      ),
    );
  return sections.join('\n\n');
}

function section(document: OpenApiDocument, method: string, path: string, one: Operation): string {
  const admin = one.security.every((each) => 'adminKey' in each || 'adminBearer' in each);
  const parts = [
    `### \`${method} ${path}\``,
    `${one.summary}.${one.deprecated ? ' **Deprecated.**' : ''}${admin ? ' Takes the admin key.' : ''}`.replace(
      '..',
      '.',
    ),
  ];
  if (one.description) parts.push(one.description);
  const { parameters = [], requestBody, responses } = one;
  if (parameters.length > 0)
    parts.push(
      table(
        'parameter',
        parameters.map(({ name, in: place, required, schema, description }) => ({
          name: `${name} (${place})`,
          type: typeOf(schema),
          text: `${required ? 'Required. ' : ''}${description ?? ''}`,
        })),
      ),
    );
  const body = requestBody?.content['application/json']?.schema;
  if (body) parts.push(table('field of the body', fieldsOf(document, body, true)));
  const [status, answer] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  const content = Object.entries(answer?.content ?? {}).map(([type, { schema }]) => ({ type, schema }))[0];
  if (content && content.type !== 'application/json') parts.push(`Answers ${status} with \`${content.type}\`.`);
  else if (content) {
    const rows = fieldsOf(document, ownOf(content.schema), false);
    if (rows.length > 0) parts.push(table(`field of the answer, ${status}`, rows));
  }
  const errors = Object.entries(responses).flatMap(([code, { description }]) => {
    const codes = [...new Set([...description.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => `\`${name}\``))];
    return Number(code) >= 400 && codes.length > 0 ? [`${code} ${codes.join(', ')}`] : [];
  });
  if (errors.length > 0) parts.push(`Errors: ${errors.join('; ')}.`);
  return parts.join('\n\n');
}

/** Without the error alternative. */
function ownOf(schema: Schema): Schema {
  const several = schema['anyOf'] as readonly Schema[] | undefined;
  return several?.find((one) => !String(one['$ref'] ?? '').endsWith('/Error')) ?? schema;
}

interface Row {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

function table(head: string, rows: readonly Row[]): string {
  const lines = rows.map(({ name, type, text }) => `| \`${name}\` | ${cell(type)} | ${cell(text)} |`);
  return [`| ${head} | type | |`, '|---|---|---|', ...lines].join('\n');
}

function cell(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
}

/** One row per field, nested fields below. */
function fieldsOf(document: OpenApiDocument, schema: Schema, isBody: boolean, at = '', depth = 1): readonly Row[] {
  const whole = resolved(document, schema);
  if (whole['type'] === 'array' && depth <= DEPTH)
    return fieldsOf(document, (whole['items'] ?? {}) as Schema, isBody, `${at}[]`, depth);
  const properties = whole['properties'] as Readonly<Record<string, Schema>> | undefined;
  if (!properties) return [];
  const required = new Set((whole['required'] ?? []) as readonly string[]);
  return Object.entries(properties).flatMap(([name, one]) => {
    const place = at === '' ? name : `${at}.${name}`;
    const own = resolved(document, one);
    const text = String(one['description'] ?? own['description'] ?? '');
    const must = isBody === required.has(name) ? (isBody ? 'Required. ' : 'Not always there. ') : '';
    const row = { name: place, type: typeOf(one), text: `${must}${text}` };
    return [row, ...(depth < DEPTH ? fieldsOf(document, one, isBody, place, depth + 1) : [])];
  });
}

function resolved(document: OpenApiDocument, schema: Schema): Schema {
  const { $ref } = schema;
  const [whole] = (schema['allOf'] ?? []) as readonly Schema[];
  if (whole) return resolved(document, whole);
  if (typeof $ref !== 'string') return schema;
  const named = document.components['schemas']?.[$ref.slice($ref.lastIndexOf('/') + 1)];
  return named === undefined ? schema : resolved(document, named as Schema);
}

function typeOf(schema: Schema): string {
  const { $ref, type, items, additionalProperties: more } = schema;
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if (schema['const'] !== undefined) return `\`${String(schema['const'])}\``;
  const several = (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined;
  if (several) return [...new Set(several.map(typeOf))].join(' or ');
  const [whole] = (schema['allOf'] ?? []) as readonly Schema[];
  if (whole) return typeOf(whole);
  const values = schema['enum'] as readonly unknown[] | undefined;
  if (values)
    return values.length > 12 ? `one of ${values.length} words` : values.map((one) => `\`${one}\``).join(', ');
  if (type === 'array') return `list of ${typeOf((items ?? {}) as Schema)}`;
  if (type === 'object' && typeof more === 'object') return `object of ${typeOf(more as Schema)}`;
  return Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'anything';
}
