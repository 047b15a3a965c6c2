import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/** Loads workspace packages from their sources; private to this repository, so no published package offers it to consumers. */
const SOURCE = '@causeway/source';

/** Environments that a developer's shell must not leak into the tests. */
const env = { CAUSEWAY_CRASH_AT: '', CAUSEWAY_CRASH_LOG: '', PORT: '' };

interface Lane {
  readonly include: string[];
  readonly exclude?: string[];
  readonly testTimeout: number;
  readonly hookTimeout: number;
  /** Lanes run one after the other, in this order. */
  readonly order: number;
  /** False where files start chains and services of their own: they would compete for the cores. */
  readonly parallel: boolean;
}

function lane(name: string, settings: Lane): TestProjectInlineConfiguration {
  return {
    resolve: { conditions: [SOURCE] },
    ssr: { resolve: { conditions: [SOURCE], externalConditions: [SOURCE] } },
    test: {
      name,
      include: settings.include,
      exclude: ['**/node_modules/**', '**/dist/**', ...(settings.exclude ?? [])],
      environment: 'node',
      env,
      pool: 'forks',
      execArgv: [`--conditions=${SOURCE}`],
      setupFiles: ['reflect-metadata'],
      fileParallelism: settings.parallel,
      sequence: { groupOrder: settings.order },
      testTimeout: settings.testTimeout,
      hookTimeout: settings.hookTimeout,
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      lane('unit', {
        include: ['core/test/**/*.test.ts'],
        testTimeout: 20_000,
        hookTimeout: 20_000,
        order: 1,
        parallel: true,
      }),
      // Uses up its time: nothing may run beside it.
      lane('sim', {
        include: ['test/sim/**/*.test.ts'],
        testTimeout: 120_000,
        hookTimeout: 600_000,
        order: 2,
        parallel: false,
      }),
      lane('contract', {
        include: ['test/contract/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 3,
        parallel: true,
      }),
      lane('chain', {
        include: ['plugins/*/test/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 4,
        parallel: false,
      }),
      lane('e2e', {
        include: ['test/e2e/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 5,
        parallel: false,
      }),
      lane('crash', {
        include: ['test/crash/**/*.test.ts'],
        testTimeout: 300_000,
        hookTimeout: 60_000,
        order: 6,
        parallel: false,
      }),
      lane('faults', {
        include: ['test/faults/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 7,
        parallel: false,
      }),
      lane('scars', {
        include: ['test/scars/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 8,
        parallel: false,
      }),
      lane('sdk', {
        include: ['test/sdk/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 9,
        parallel: false,
      }),
      lane('fuzz', {
        include: ['test/fuzz/**/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        order: 10,
        parallel: false,
      }),
    ],
  },
});
