import type { ParseArgsConfig } from 'node:util';
import { UsageError, wholeOption } from './script-options.js';

export const CHOOSING = {
  list: { type: 'boolean' },
  only: { type: 'string' },
  shard: { type: 'string' },
  from: { type: 'string', default: '0' },
  minutes: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

interface Values {
  readonly only?: string | undefined;
  readonly shard?: string | undefined;
  readonly from: string;
  readonly minutes?: string | undefined;
}

/**
 * The named items in play order, and the time until which another may begin (`performance.now()`).
 *
 * @param what their name in messages.
 * @throws UsageError.
 */
export function choose<T extends { readonly name: string }>(
  all: readonly T[],
  { only, shard = '1/1', from: first, minutes }: Values,
  what: string,
): { readonly chosen: readonly T[]; readonly until: number } {
  const asked = only?.split(',');
  const unknown = asked?.filter((name) => !all.some((one) => one.name === name)) ?? [];
  if (unknown.length > 0) throw new UsageError(`no ${what} is named ${unknown.join(', ')}; --list shows them`);
  const [part, parts] = shard.split('/').map(Number);
  if (!part || !parts || part > parts) throw new UsageError('--shard takes i/n, e.g. 2/4');
  const chosen = all
    .filter(({ name }) => asked === undefined || asked.includes(name))
    .filter((_, index, some) => Math.floor((index * parts) / some.length) === part - 1);
  const from = wholeOption('from', first) % Math.max(1, chosen.length);
  const ms = minutes === undefined ? Number.POSITIVE_INFINITY : wholeOption('minutes', minutes) * 60_000;
  return { chosen: [...chosen.slice(from), ...chosen.slice(0, from)], until: performance.now() + ms };
}
