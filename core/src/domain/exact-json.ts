export type ExactJson =
  | null
  | boolean
  | string
  | readonly ExactJson[]
  | { readonly [name: string]: ExactJson }
  | undefined;

/** Marks text that was a number. JSON text cannot contain it unescaped. */
const MARK = '\u0001';

/** A whole string, terminated or not, so that each character is scanned once; or a number. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g;

/**
 * Parses JSON without floats: `numberText` returns the original digits.
 * @throws SyntaxError for what is not JSON.
 */
export function parseExact(text: string): ExactJson {
  const marked = text.replace(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"')) return token;
    // Validates the number token: no leading zero, no lone point.
    JSON.parse(token);
    return `"\\u0001${token}"`;
  });
  return JSON.parse(marked) as ExactJson;
}

export function numberText(value: ExactJson): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.startsWith(MARK) ? value.slice(1) : value;
}

const KEPT_NUMBER = /"\\u0001(-?\d[\d.eE+-]*)"/g;

export function writeExact(value: ExactJson): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(KEPT_NUMBER, '$1');
}
