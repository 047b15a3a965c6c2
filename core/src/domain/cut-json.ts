import { cutText } from './cut-text.js';

const MAX_STRING_CHARACTERS = 2_048;
const MAX_DEPTH = 8;
/** `"`, `"`, `:` and `,` of a field. */
const FIELD_PUNCTUATION = 4;

/** Truncates plain data to a number of JSON characters; nesting below eight levels becomes null. */
export function cutJson(value: unknown, room: number, depth = 0): unknown {
  if (typeof value === 'string') return cutString(value, Math.min(room, MAX_STRING_CHARACTERS));
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) return cutList(value, room, depth);
  const fields = Object.entries(value);
  const cut: Record<string, unknown> = {};
  let left = room - 2;
  const take = (name: string, part: unknown, share: number): boolean => {
    const kept = cutJson(part, share - name.length - FIELD_PUNCTUATION, depth + 1);
    const length = lengthOf(kept) + lengthOf(name) + 2;
    if (length > left) return false;
    cut[name] = kept;
    left -= length;
    return true;
  };
  for (const [name, part] of fields) if (!isNested(part) && !take(name, part, left)) return cut;
  const nested = fields.filter(([, part]) => isNested(part));
  for (const [n, [name, part]] of nested.entries())
    if (!take(name, part, Math.floor(left / (nested.length - n)))) return cut;
  return cut;
}

function cutList(list: readonly unknown[], room: number, depth: number): unknown[] {
  const cut: unknown[] = [];
  let left = room - 2;
  for (const part of list) {
    const kept = cutJson(part, left, depth + 1);
    const length = lengthOf(kept) + 1;
    if (length > left || (cut.length > 0 && lengthOf(part) >= length)) break;
    cut.push(kept);
    left -= length;
  }
  return cut;
}

function cutString(text: string, room: number): string {
  if (text.length < room && lengthOf(text) <= room) return text;
  for (let most = room; ; most = Math.floor(most / 2)) {
    const cut = most < 64 ? text.slice(0, Math.max(0, most - 2)) : cutText(text, most - 40);
    if (lengthOf(cut) <= Math.max(room, 2)) return cut;
  }
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}
