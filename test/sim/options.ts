import { parseArgs } from 'node:util';

export interface SimOptions {
  readonly from: number;
  readonly seeds: number;
  /** One seed alone. */
  readonly seed: number | null;
  readonly trace: boolean;
  readonly shrink: boolean;
  /** Stops after this time, whatever is left. */
  readonly minutes: number | null;
  readonly workers: number;
}

const USAGE = 'npm run test:sim -- [--seeds N] [--from S] [--minutes M] [--workers K] | --seed S [--trace] [--shrink]';

/** @throws with the usage, on options that are none. */
export function simOptions(args: readonly string[]): SimOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
      shrink: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      workers: { type: 'string', default: '1' },
    },
  });
  const number = (name: string, text: string): number => {
    const value = Number(text);
    if (!Number.isFinite(value) || value < 0) throw new Error(`--${name} is not a number\n${USAGE}`);
    return value;
  };
  return {
    from: number('from', values.from),
    seeds: number('seeds', values.seeds),
    seed: values.seed === undefined ? null : number('seed', values.seed),
    trace: values.trace,
    shrink: values.shrink,
    minutes: values.minutes === undefined ? null : number('minutes', values.minutes),
    workers: Math.max(1, number('workers', values.workers)),
  };
}

/** Command that runs one seed again. */
export function replayCommand(seed: number): string {
  return `npm run test:sim -- --seed ${seed} --trace`;
}
