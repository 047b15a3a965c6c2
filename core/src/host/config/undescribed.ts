type Schema = Readonly<Record<string, unknown>>;

/** Subschemas that apply to the same value. `if` and `not` only test values. */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'] as const;
/** Recursive schemas exceed this depth. */
const MAX_DEPTH = 12;

/**
 * Paths of undescribed properties, such as `chains[].rpc`. One description suffices for a property in several
 * subschemas.
 */
export function undescribed(schema: Schema): readonly string[] {
  const described = new Map<string, boolean>();
  look(schema, schema, '', described, 0);
  return [...described].filter(([, is]) => !is).map(([path]) => path);
}

function look(root: Schema, part: unknown, path: string, described: Map<string, boolean>, depth: number): void {
  if (!isSchema(part) || depth > MAX_DEPTH) return;
  const at = (inner: unknown, where: string) => look(root, inner, where, described, depth + 1);
  if (typeof part['$ref'] === 'string') at(target(root, part['$ref']), path);
  for (const [name, property] of Object.entries(isSchema(part['properties']) ? part['properties'] : {})) {
    const where = path === '' ? name : `${path}.${name}`;
    described.set(where, described.get(where) === true || isDescribed(root, property));
    at(property, where);
  }
  for (const keyword of SAME_VALUE) {
    const inner = part[keyword];
    const all = Array.isArray(inner) || keyword === 'dependentSchemas' ? Object.values(inner ?? {}) : [inner];
    for (const one of all) at(one, path);
  }
  at(part['items'], `${path}[]`);
  if (Array.isArray(part['prefixItems'])) for (const one of part['prefixItems']) at(one, `${path}[]`);
  at(part['additionalProperties'], `${path}.*`);
  if (isSchema(part['patternProperties']))
    for (const one of Object.values(part['patternProperties'])) at(one, `${path}.*`);
}

function isDescribed(root: Schema, property: unknown): boolean {
  if (!isSchema(property)) return false;
  const { description, $ref } = property;
  if (typeof description === 'string' && description.trim() !== '') return true;
  const named = typeof $ref === 'string' ? target(root, $ref) : undefined;
  return isSchema(named) && typeof named['description'] === 'string' && named['description'].trim() !== '';
}

function target(root: Schema, ref: string): unknown {
  if (!ref.startsWith('#/')) return undefined;
  const names = ref.slice(2).split('/');
  return names.reduce<unknown>(
    (one, name) => (isSchema(one) ? one[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
    root,
  );
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
