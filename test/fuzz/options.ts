import { parseArgs } from 'node:util';
import { wholeOption } from '../support/script-options.js';

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  readonly from: number;
  readonly at: number | null;
  readonly kept: string | null;
  /** Stores findings, with this reason. */
  readonly keep: string | null;
  readonly connections: number;
}

export const USAGE = `npm run test:fuzz -- [options]

Sends drawn requests to the real service, and holds each answer against its description.

  --seed S         other requests (default 1)
  --requests N     how many (default 100000)
  --from K         from the K-th on (default 0)
  --connections C  at once (default 48)
  --at N           the N-th of a seed alone
  --kept NAME      one that is kept in test/fuzz/kept alone
  --keep WHY       keeps what is found, for this reason
  --help

Ends with 1 when something was found.`;

/** @throws UsageError, and `parseArgs` errors, on invalid options. */
export function fuzzOptions(args: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      requests: { type: 'string', default: '100000' },
      from: { type: 'string', default: '0' },
      at: { type: 'string' },
      kept: { type: 'string' },
      keep: { type: 'string' },
      connections: { type: 'string', default: '48' },
    },
  });
  return {
    seed: wholeOption('seed', values.seed),
    requests: wholeOption('requests', values.requests),
    from: wholeOption('from', values.from),
    at: values.at === undefined ? null : wholeOption('at', values.at),
    kept: values.kept ?? null,
    keep: values.keep ?? null,
    connections: Math.max(1, wholeOption('connections', values.connections)),
  };
}

export function replayCommand(
  { seed, at }: { readonly seed: number; readonly at: number | null },
  kept?: string,
): string {
  return at === null
    ? `npm run test:fuzz -- --kept ${kept ?? 'NAME'}`
    : `npm run test:fuzz -- --seed ${seed} --at ${at}`;
}
