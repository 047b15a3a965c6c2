import { type ExactJson, pointTo } from '@causeway/core';

export const NAMES = [
  ...['chainId', 'chain', 'sellToken', 'buyToken', 'sellDecimals', 'buyDecimals', 'amount', 'limit', 'payer'],
  ...['recipient', 'slippageBps', 'slippagePercent'],
] as const;

export type Values = Readonly<Record<string, string>>;

/** A body text that is only one of these becomes a number: they are small. */
const NUMBERS = new Set(['chainId', 'sellDecimals', 'buyDecimals', 'slippageBps']);
const NAME = /\{(\w+)\}/g;
const ALONE = /^\{(\w+)\}$/;
const ANSWER = 'answer:';

export function namesIn(path: string, body: ExactJson): ReadonlySet<string> {
  const text = `${path} ${body === undefined ? '' : JSON.stringify(body)}`;
  return new Set([...text.matchAll(NAME)].map(([, name = '']) => name));
}

/** Values are encoded, so that none can change the path. */
export function pathFor(template: string, values: Values): string {
  return template.replaceAll(NAME, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** @param answer to the quote. @throws RangeError where it is nested too deeply. */
export function bodyFor(template: ExactJson, values: Values, answer: ExactJson): ExactJson {
  if (typeof template === 'string') {
    if (template.startsWith(ANSWER)) return pointTo(answer, template.slice(ANSWER.length)) ?? null;
    const [, alone = ''] = ALONE.exec(template) ?? [];
    // A number of `parseExact`: written without quotes.
    if (NUMBERS.has(alone)) return `\u0001${values[alone] ?? '0'}`;
    return template.replaceAll(NAME, (_, name: string) => values[name] ?? '');
  }
  if (Array.isArray(template)) return (template as readonly ExactJson[]).map((one) => bodyFor(one, values, answer));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, inner]) => [name, bodyFor(inner, values, answer)]));
}
