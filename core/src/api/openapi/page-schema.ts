import type { Schema } from '../schema.js';
import { htmlText, prose } from './prose.js';

export function schemaHtml(schema: Schema): string {
  const examples = (schema['examples'] ?? []) as readonly unknown[];
  const shown = examples.map((one) => `<pre><code>${htmlText(JSON.stringify(one, null, 2))}</code></pre>`);
  return `<span class="type">${typeOf(schema)}</span>${fieldsOf(schema)}${shown.join('')}`;
}

function fieldsOf(schema: Schema): string {
  const properties = schema['properties'] as Readonly<Record<string, Schema>> | undefined;
  if (properties) {
    const required = new Set((schema['required'] ?? []) as readonly string[]);
    const rows = Object.entries(properties).map(([name, one]) => field(name, one, required.has(name)));
    return `<ul class="fields">${rows.join('')}</ul>`;
  }
  const inner = [schema['items'], schema['additionalProperties'], ...((schema['anyOf'] ?? []) as readonly unknown[])];
  return inner.map((one) => (typeof one === 'object' && one !== null ? fieldsOf(one as Schema) : '')).join('');
}

function field(name: string, schema: Schema, required: boolean): string {
  const { description } = schema;
  const text = typeof description === 'string' ? prose(description) : '';
  const mark = required ? '' : ' <span class="optional">optional</span>';
  const type = `<span class="type">${typeOf(schema)}</span>`;
  return `<li><code>${htmlText(name)}</code> ${type}${mark}${text}${fieldsOf(schema)}</li>`;
}

export function typeOf(schema: Schema): string {
  const { $ref, type, items, additionalProperties: more } = schema;
  if (typeof $ref === 'string') {
    const name = htmlText($ref.slice($ref.lastIndexOf('/') + 1));
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (schema['const'] !== undefined) return value(schema['const']);
  const several = schema['anyOf'] as readonly Schema[] | undefined;
  if (several) return several.map(typeOf).join(' or ');
  const [whole] = (schema['allOf'] ?? []) as readonly Schema[];
  if (whole) return typeOf(whole);
  const values = schema['enum'] as readonly unknown[] | undefined;
  if (values) return values.map(value).join(' or ');
  if (type === 'array') return `list of ${typeOf((items ?? {}) as Schema)}`;
  if (type === 'object' && typeof more === 'object') return `object of ${typeOf(more as Schema)}`;
  const words = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'anything';
  return htmlText([words, ...limits(schema)].join(', '));
}

function value(one: unknown): string {
  return `<code>${htmlText(String(one))}</code>`;
}

const LIMITS = { maxItems: 'at most items:', pattern: 'like', default: 'default' } as const;

function limits(schema: Schema): readonly string[] {
  const { minimum, maximum, minLength, maxLength } = schema;
  const said = Object.entries(LIMITS).flatMap(([keyword, words]) =>
    schema[keyword] === undefined ? [] : [`${words} ${String(schema[keyword])}`],
  );
  // The limit of exact numbers in JSON, not a rule of the field.
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  return [...range(minimum, most, ''), ...range(minLength, maxLength, ' characters'), ...said];
}

function range(least: unknown, most: unknown, what: string): readonly string[] {
  if (least === undefined && most === undefined) return [];
  if (least === undefined) return [`at most ${most}${what}`];
  return [most === undefined ? `at least ${least}${what}` : `${least} to ${most}${what}`];
}
