export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface NightOptions {
  /** Of all draws; printed for replays. */
  readonly seed: number;
  readonly seeds: number;
  readonly requests: number;
  readonly minutes?: number;
}

/** Hundredths of the shared minutes. What one night leaves out comes first in the next. */
const SHARES = {
  sim: 12,
  'sim-utxo': 4,
  crash: 38,
  'crash-families': 17,
  'crash-restored': 6,
  mutation: 12,
  stryker: 7,
  mutants: 4,
} as const;

/** A nightly command. It must print its result in one line and exit with 0 exactly on success. */
export interface Part {
  readonly name: string;
  readonly what: string;
  readonly command: readonly [string, ...string[]];
  /** In addition to the night's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Groups `passed`, `failed` or `all`, and `skipped`, of the last result line. */
  readonly result: RegExp;
}

const node = (...args: string[]): Part['command'] => [process.execPath, '--import', 'tsx', ...args];

const SEEDS = /(?<all>\d+) seeds, \d+ steps, (?<failed>\d+) violations/g;
const PAIRS = /(?<all>\d+) pairs of \d+ reached, .*?, (?<failed>\d+) violations/g;

/** Offset between the first guards of consecutive nights. */
const GUARDS_APART = 97;
/** The same for mutants. */
const MUTANTS_APART = 37;

export function partsOf({ seed, seeds, requests, minutes }: NightOptions): readonly Part[] {
  const timed = (part: keyof typeof SHARES): readonly string[] =>
    minutes === undefined ? [] : ['--minutes', String(Math.max(1, Math.floor((minutes * SHARES[part]) / 100)))];
  // Far from the gate's seeds, and different each night.
  const from = String(1_000_000 + (seed % 10_000) * 100_000);
  return [
    {
      name: 'gate',
      what: 'every lane, with the files that the gate leaves to the night',
      command: [process.execPath, 'node_modules/vitest/vitest.mjs', 'run'],
      env: { CAUSEWAY_NIGHTLY: '1' },
      result: /Tests\s+(?:(?<failed>\d+) failed \| )?(?<passed>\d+) passed(?: \| (?<skipped>\d+) skipped)?/g,
    },
    {
      name: 'sim',
      what: 'new seeds of the simulation',
      command: node(
        '--max-semi-space-size=64',
        'test/sim/main.ts',
        '--seeds',
        String(seeds),
        '--from',
        from,
        '--workers',
        '2',
        ...timed('sim'),
      ),
      result: SEEDS,
    },
    {
      name: 'sim-utxo',
      what: 'new seeds of the simulation, on UTXO chains with irregular blocks',
      command: node(
        ...['test/sim/main.ts', '--profile', 'utxo', '--seeds', String(Math.ceil(seeds / 5)), '--from', from],
        ...timed('sim-utxo'),
      ),
      result: SEEDS,
    },
    {
      name: 'fuzz',
      what: 'new requests against the running service',
      command: node('test/fuzz/main.ts', '--seed', String(seed), '--requests', String(requests)),
      result: /(?<all>\d+) requests in /g,
    },
    {
      name: 'crash',
      what: 'the whole kill matrix of one family',
      command: node('test/crash/main.ts', ...timed('crash')),
      result: PAIRS,
    },
    {
      name: 'crash-families',
      what: 'the whole kill matrices between families',
      command: node('test/crash/main.ts', '--families', ...timed('crash-families')),
      result: PAIRS,
    },
    {
      name: 'crash-restored',
      what: 'the same, and an old backup is put back afterwards',
      command: node('test/crash/main.ts', '--families', '--restored', ...timed('crash-restored')),
      result: PAIRS,
    },
    {
      name: 'mutation',
      what: 'every guard taken away',
      command: node(
        'test/mutation/main.ts',
        ...(minutes === undefined ? [] : ['--from', String(seed * GUARDS_APART), ...timed('mutation')]),
      ),
      result: /(?<all>\d+) guards, \d+ red, (?<failed>\d+) survived/g,
    },
    {
      name: 'renames',
      what: 'ten drawn identifiers next to guards renamed, after which nothing else may have to change',
      command: node('test/mutation/renames.ts', '--seed', String(seed)),
      result: /(?<passed>\d+) identifiers renamed, (?<failed>\d+) checks broken/g,
    },
    {
      name: 'stryker',
      what: 'other changes of the money path, of which those that no test notices are listed',
      command: node('test/stryker/main.ts', '--batch', String(seed), ...timed('stryker')),
      result: /(?<passed>\d+) changes noticed, \d+ survived/g,
    },
    {
      name: 'mutants',
      what: 'the conformance kit against adapters with one mistake each',
      command: node(
        'test/mutants/main.ts',
        ...(minutes === undefined ? [] : ['--from', String(seed * MUTANTS_APART), ...timed('mutants')]),
      ),
      result: /(?<all>\d+) mutants, \d+ caught, \d+ listed, \d+ open, (?<failed>\d+) wrong/g,
    },
    {
      name: 'speed',
      what: 'benches whose ratios were recorded: none below 0.8 of its last one',
      command: node('test/bench/main.ts', '--recorded'),
      result: /(?<passed>\d+) ratios held, (?<failed>\d+) fell/g,
    },
  ];
}

/** Another exit code than 0, or no result line, counts as at least one failure. */
export function countOf(part: Part, output: string, code: number | null): Count {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of terminals begin with one.
  const reported = [...output.replace(/\u001b\[[0-9;]*m/g, '').matchAll(part.result)].at(-1)?.groups;
  const number = (name: string): number | undefined =>
    reported?.[name] === undefined ? undefined : Number(reported[name]);
  const failed = number('failed') ?? 0;
  const passed = number('passed') ?? Math.max(0, (number('all') ?? 0) - failed);
  const wrong = code !== 0 || reported === undefined || passed + failed === 0;
  return { passed, failed: wrong ? Math.max(1, failed) : failed, skipped: number('skipped') ?? 0 };
}

/** In CI a skipped test is a failure, because CI must have every local chain. */
export const asJudged = (count: Count, isCi: boolean): Count =>
  isCi ? { ...count, failed: count.failed + count.skipped } : count;

export const sum = (counts: readonly Count[]): Count => ({
  passed: counts.reduce((total, { passed }) => total + passed, 0),
  failed: counts.reduce((total, { failed }) => total + failed, 0),
  skipped: counts.reduce((total, { skipped }) => total + skipped, 0),
});
