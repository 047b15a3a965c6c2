import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';
import { QUICK, TIER } from './test/tiers.js';

/** Loads workspace packages from their sources; private to this repository, so no published package offers it to consumers. */
const SOURCE = '@causeway/source';

/** Environments that a developer's shell must not leak into the tests. */
const env = { CAUSEWAY_CRASH_AT: '', CAUSEWAY_CRASH_LOG: '', PORT: '' };

/** Units that stand in for modules of Node, or speak of the process that they run in. */
const ALONE = ['core/test/host/**/*.test.ts', 'core/test/store/restore-midway.test.ts'];

/** Files that are worth their time once a night; their lane is there where this is set. */
const NIGHTLY = '**/*.nightly.test.ts';
const AT_NIGHT = process.env['CAUSEWAY_NIGHTLY'] === '1';

/** Lanes with property tests. */
const DRAWN: ReadonlySet<string> = new Set(['unit', 'chain']);

interface Lane {
  readonly include: string[];
  readonly exclude?: string[];
  readonly testTimeout: number;
  readonly hookTimeout: number;
  /** Lanes run one after the other, in this order; those of one number, which have as many workers, side by side. */
  readonly order: number;
  /** Files at once: more than cores where they mostly wait, for blocks or for limits. */
  readonly workers: 2 | 3;
  /** False: files share the modules of their worker, which are loaded once. Default true. */
  readonly isolate?: boolean;
}

/** The files of a lane in the tier that runs; undefined where it has none. */
function filesOf(name: string, { include, exclude = [] }: Lane): { include: string[]; exclude: string[] } | undefined {
  const quick = [...(QUICK[name] ?? [])];
  if (TIER === undefined) return { include, exclude };
  if (TIER === 'quick') return quick.length === 0 ? undefined : { include: quick, exclude };
  return { include, exclude: [...exclude, ...quick] };
}

function lane(name: string, settings: Lane): TestProjectInlineConfiguration[] {
  const files = filesOf(name, settings);
  if (files === undefined) return [];
  return [laneOf(name, settings, files)];
}

function laneOf(
  name: string,
  settings: Lane,
  { include, exclude }: { include: string[]; exclude: string[] },
): TestProjectInlineConfiguration {
  return {
    resolve: { conditions: [SOURCE] },
    ssr: { resolve: { conditions: [SOURCE], externalConditions: [SOURCE] } },
    test: {
      name,
      include,
      exclude: ['**/node_modules/**', '**/dist/**', ...(name === 'nightly' ? [] : [NIGHTLY]), ...exclude],
      environment: 'node',
      env,
      pool: 'forks',
      execArgv: [`--conditions=${SOURCE}`],
      setupFiles: ['reflect-metadata', ...(DRAWN.has(name) ? ['./test/support/property-seed.ts'] : [])],
      maxWorkers: settings.workers,
      isolate: settings.isolate ?? true,
      sequence: { groupOrder: settings.order },
      testTimeout: settings.testTimeout,
      hookTimeout: settings.hookTimeout,
    },
  };
}

const NIGHT = lane('nightly', {
  include: [`test/${NIGHTLY}`, `core/test/${NIGHTLY}`, `plugins/*/test/${NIGHTLY}`],
  testTimeout: 300_000,
  hookTimeout: 60_000,
  order: 4,
  workers: 2,
});

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Transformed sources, by their content, in `node_modules`: each lane has a server of its own, which would transform all of
    // core and the plugins once more, for 4 to 6 s of processor time.
    experimental: { fsModuleCache: true },
    projects: [
      ...lane('unit', {
        include: ['core/test/**/*.test.ts'],
        exclude: ALONE,
        testTimeout: 20_000,
        hookTimeout: 20_000,
        order: 1,
        workers: 3,
        isolate: false,
      }),
      ...lane('unit-alone', { include: ALONE, testTimeout: 20_000, hookTimeout: 20_000, order: 2, workers: 2 }),
      // Uses up its time, on one core.
      ...lane('sim', {
        include: ['test/sim/**/*.test.ts'],
        testTimeout: 120_000,
        hookTimeout: 600_000,
        order: 2,
        workers: 2,
      }),
      ...lane('contract', {
        include: ['test/contract/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 2,
        workers: 2,
        isolate: false,
      }),
      ...lane('chain', {
        include: ['plugins/*/test/**/*.test.ts', 'test/fixtures/*/test/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 3,
        workers: 3,
        isolate: false,
      }),
      ...lane('e2e', {
        include: ['test/e2e/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 3,
        workers: 3,
        isolate: false,
      }),
      ...lane('crash', {
        include: ['test/crash/**/*.test.ts'],
        testTimeout: 300_000,
        hookTimeout: 60_000,
        order: 3,
        workers: 3,
      }),
      ...lane('faults', {
        include: ['test/faults/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 3,
        workers: 3,
      }),
      ...lane('scars', {
        include: ['test/scars/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 3,
        workers: 3,
        isolate: false,
      }),
      ...lane('sdk', {
        include: ['test/sdk/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 3,
        workers: 3,
        isolate: false,
      }),
      ...lane('fuzz', {
        include: ['test/fuzz/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 2,
        workers: 2,
      }),
      ...(AT_NIGHT ? NIGHT : []),
    ],
  },
});
