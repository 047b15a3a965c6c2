import type { Dice } from './dice.js';
import type { Named, Operation } from './operations.js';
import { nearly, oddText } from './texts.js';
import { drawValue, wild } from './values.js';

export function drawQuery({ query }: Operation, dice: Dice): readonly string[] {
  const often = Math.min(0.6, 2.5 / Math.max(1, query.length));
  const pairs: string[] = [];
  for (const one of query) {
    if (!dice.chance(one.required ? 0.95 : often)) continue;
    pairs.push(pair(one, query, dice));
    if (dice.chance(0.02)) pairs.push(pair(one, query, dice));
  }
  if (dice.chance(0.05))
    pairs.push(
      dice.pick(['__proto__=1', 'constructor=1', 'referrer=x', '=', '&&', 'a[b]=1', 'limit[]=1', '%', '%zz=1']),
    );
  return pairs;
}

function pair(one: Named, all: readonly Named[], dice: Dice): string {
  const value =
    one.name === 'filters' && dice.chance(0.85) ? drawFilters(all, dice) : drawValue(one.name, one.schema, dice, 2);
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return `${one.name}=${encoded(text, dice)}`;
}

/** Correct, or wrong as clients get it wrong. */
export function encoded(text: string, dice: Dice): string {
  if (dice.chance(0.03))
    return dice.pick(['%', '%zz', '%0', '%00', '%ff', '%c0%af', '%ed%a0%80', '%u0041', '+', '%2525']);
  const whole = text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
  if (dice.chance(0.02))
    return [...Buffer.from(whole)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return encodeURIComponent(whole);
}

/** Filter groups: every parameter of the list is a field, and so are unknown ones. */
function drawFilters(all: readonly Named[], dice: Dice): string {
  const group = () => {
    const entries = Array.from({ length: dice.int(4) }, (): [string, unknown] => {
      const one = dice.pick(all);
      const name = dice.chance(0.04) ? oddText(dice) : one.name;
      const key = dice.chance(0.3) ? `not:${name}` : name;
      const value = () => (dice.chance(0.1) ? wild(dice, 2) : drawValue(one.name, one.schema, dice, 2));
      const given = dice.weighed({ one: 5, several: 3, none: 1.5, mixed: 0.5 });
      if (given === 'none') return [key, null];
      if (given === 'one') return [key, value()];
      const list = Array.from({ length: dice.chance(0.03) ? 51 : dice.int(4) }, value);
      return [key, given === 'mixed' ? [...list, null] : list];
    });
    return Object.fromEntries(entries);
  };
  const groups = dice.chance(0.05)
    ? wild(dice, 1)
    : Array.from({ length: dice.chance(0.02) ? 21 : 1 + dice.int(3) }, group);
  const text = (JSON.stringify(groups) ?? '').replaceAll(/"(~chain\.\d+~)"/g, '$1');
  return dice.chance(0.04) ? nearly(text, dice) : text;
}
