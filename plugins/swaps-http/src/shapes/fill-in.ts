import { type ExactJson, pointTo } from '@causeway/core';

/** What names in braces stand for. */
export const NAMES = [
  ...['chainId', 'chain', 'sellToken', 'buyToken', 'sellDecimals', 'buyDecimals', 'amount', 'limit', 'payer'],
  ...['recipient', 'slippageBps', 'slippagePercent'],
] as const;

export type Values = Readonly<Record<string, string>>;

/** Alone in a text of a body, these become numbers there: they are small. */
const NUMBERS = new Set(['chainId', 'sellDecimals', 'buyDecimals', 'slippageBps']);
const NAME = /\{(\w+)\}/g;
const ALONE = /^\{(\w+)\}$/;
const ANSWER = 'answer:';

/** Names that a template uses. */
export function namesIn(path: string, body: ExactJson): ReadonlySet<string> {
  const text = `${path} ${body === undefined ? '' : JSON.stringify(body)}`;
  return new Set([...text.matchAll(NAME)].map(([, name = '']) => name));
}

/** A path with its query; values are encoded, so that none can change where it leads. */
export function pathFor(template: string, values: Values): string {
  return template.replaceAll(NAME, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** @param answer to the quote. @throws RangeError where it is nested too deep to be written. */
export function bodyFor(template: ExactJson, values: Values, answer: ExactJson): ExactJson {
  if (typeof template === 'string') {
    if (template.startsWith(ANSWER)) return pointTo(answer, template.slice(ANSWER.length)) ?? null;
    const [, alone = ''] = ALONE.exec(template) ?? [];
    // As a number of `parseExact`: written without quotes.
    if (NUMBERS.has(alone)) return `\u0001${values[alone] ?? '0'}`;
    return template.replaceAll(NAME, (_, name: string) => values[name] ?? '');
  }
  if (Array.isArray(template)) return (template as readonly ExactJson[]).map((one) => bodyFor(one, values, answer));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, inner]) => [name, bodyFor(inner, values, answer)]));
}
