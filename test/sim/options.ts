import { parseArgs } from 'node:util';
import type { ScenarioSource, SimulationProfile } from '@causeway/core/testing';

export interface SimOptions {
  readonly from: number;
  readonly seeds: number;
  /** One seed alone. */
  readonly seed: number | null;
  /** Plays that one as it is kept. */
  readonly kept: boolean;
  /** Keeps what is drawn from that one, for this reason. */
  readonly keep: string | null;
  readonly trace: boolean;
  readonly shrink: boolean;
  /** Stops after this time, whatever is left. */
  readonly minutes: number | null;
  readonly workers: number;
  /** What runs are drawn from; other requests make another run of the same seed. */
  readonly profile: SimulationProfile;
}

const USAGE =
  'npm run test:sim -- [--requests LEAST-MOST] ([--seeds N] [--from S] [--minutes M] [--workers K] | --seed S [--kept | --keep WHY] [--trace] [--shrink])';

/** @throws with the usage, on options that are none. */
export function simOptions(args: readonly string[]): SimOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      kept: { type: 'boolean', default: false },
      keep: { type: 'string' },
      trace: { type: 'boolean', default: false },
      shrink: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      workers: { type: 'string', default: '1' },
      requests: { type: 'string' },
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
    kept: values.kept,
    keep: values.keep ?? null,
    trace: values.trace,
    shrink: values.shrink,
    minutes: values.minutes === undefined ? null : number('minutes', values.minutes),
    workers: Math.max(1, number('workers', values.workers)),
    profile: profileOf(values.requests),
  };
}

/** `20-22`: so many requests in each run. */
function profileOf(requests: string | undefined): SimulationProfile {
  if (requests === undefined) return {};
  const [, least, most] = /^(\d+)-(\d+)$/.exec(requests) ?? [];
  if (least === undefined || most === undefined || Number(least) > Number(most))
    throw new Error(`--requests is LEAST-MOST, e.g. 20-24\n${USAGE}`);
  return { requests: [Number(least), Number(most)] };
}

/** Command that runs one seed again. */
export function replayCommand(seed: number, from: ScenarioSource, { requests }: SimulationProfile = {}): string {
  const drawn = requests === undefined ? '' : ` --requests ${requests.join('-')}`;
  return `npm run test:sim --${from === 'kept' ? ` --seed ${seed} --kept` : `${drawn} --seed ${seed}`} --trace`;
}
