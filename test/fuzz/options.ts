import { parseArgs } from 'node:util';

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  readonly from: number;
  /** That request alone. */
  readonly at: number | null;
  /** A kept request alone. */
  readonly kept: string | null;
  /** Findings are kept, for this reason. */
  readonly keep: string | null;
  readonly connections: number;
}

const USAGE =
  'npm run test:fuzz -- [--seed S] ([--requests N] [--from K] [--connections C] [--keep WHY] | --at N | --kept NAME)';

/** @throws with the usage, on options that are none. */
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
  const number = (name: string, text: string): number => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} is not a whole number\n${USAGE}`);
    return value;
  };
  return {
    seed: number('seed', values.seed),
    requests: number('requests', values.requests),
    from: number('from', values.from),
    at: values.at === undefined ? null : number('at', values.at),
    kept: values.kept ?? null,
    keep: values.keep ?? null,
    connections: Math.max(1, number('connections', values.connections)),
  };
}

/** Command that sends one request again. */
export function replayCommand(
  { seed, at }: { readonly seed: number; readonly at: number | null },
  kept?: string,
): string {
  return at === null
    ? `npm run test:fuzz -- --kept ${kept ?? 'NAME'}`
    : `npm run test:fuzz -- --seed ${seed} --at ${at}`;
}
