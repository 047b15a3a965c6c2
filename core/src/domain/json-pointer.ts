import type { ExactJson } from './exact-json.js';

/** Resolves a JSON pointer (RFC 6901); undefined if absent. Inherited properties do not count. */
export function pointTo(document: ExactJson, pointer: string): ExactJson {
  let value = document;
  for (const token of tokensOf(pointer)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.hasOwn(value, token) ? (value as Record<string, ExactJson>)[token] : undefined;
  }
  return value;
}

export function pointerFor(template: string, id: string): string {
  return template.replaceAll('{id}', () => id.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function tokensOf(pointer: string): readonly string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}
