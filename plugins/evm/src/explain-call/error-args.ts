import { brief } from '../brief.js';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** A decoded argument as text: amounts decimal, addresses in lower case, lists and structures as JSON. Bounded. */
export function valueText(value: unknown): string {
  return brief(typeof value === 'object' ? JSON.stringify(value, (_, item: unknown) => plain(item)) : plainText(value));
}

function plain(item: unknown): unknown {
  return typeof item === 'object' ? item : plainText(item);
}

function plainText(value: unknown): string {
  const text = String(value);
  return ADDRESS.test(text) ? text.toLowerCase() : text;
}
