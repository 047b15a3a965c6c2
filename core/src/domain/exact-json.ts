/** A JSON value whose numbers are still as they were written, as `Written`. */
export type ExactJson =
  | null
  | boolean
  | string
  | readonly ExactJson[]
  | { readonly [name: string]: ExactJson }
  | undefined;

/** Begins the text that stands for a number. No JSON text holds it unescaped, so nobody says it by accident. */
const MARK = '\u0001';

/** A string as a whole, ended or not, so that each character is looked at once; else a number. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g;

/**
 * Reads JSON without making floats of its numbers: `numberText` gives their own digits back.
 * @throws SyntaxError for what is not JSON.
 */
export function parseExact(text: string): ExactJson {
  const marked = text.replace(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"')) return token;
    // Judges the token by the rules of JSON: no leading zero, no lonely point.
    JSON.parse(token);
    return `"\\u0001${token}"`;
  });
  return JSON.parse(marked) as ExactJson;
}

/** Text of a number or of a string; undefined for anything else. */
export function numberText(value: ExactJson): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.startsWith(MARK) ? value.slice(1) : value;
}

/** A number whose own digits `parseExact` kept, as JSON.stringify writes it. */
const KEPT_NUMBER = /"\\u0001(-?\d[\d.eE+-]*)"/g;

/** JSON text of a value that `parseExact` gave, or that holds such values, its numbers as they were written. */
export function writeExact(value: ExactJson): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(KEPT_NUMBER, '$1');
}
