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

Sends random requests to the real service, and checks each response against its OpenAPI schema.

  --seed S         seed of the random requests (default 1)
  --requests N     number of requests (default 100000)
  --from K         start with the K-th request (default 0)
  --connections C  parallel connections (default 48)
  --at N           only the N-th request of the seed
  --kept NAME      only the request saved as test/fuzz/kept/NAME
  --keep WHY       saves failing requests, with this reason
  --help

Exits with 1 if a check failed.`;

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
