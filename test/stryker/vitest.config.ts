import { defineConfig } from 'vitest/config';

const SOURCE = '@causeway/source';

/** Tests that need neither a node nor a server: Stryker runs them for each of its changes. */
export default defineConfig({
  resolve: { conditions: [SOURCE] },
  ssr: { resolve: { conditions: [SOURCE], externalConditions: [SOURCE] } },
  test: {
    include: [
      'core/test/{domain,engine,capabilities}/**/*.test.ts',
      'plugins/bvm/test/{legs-done,references}.test.ts',
      'plugins/evm/test/{arrived,execution-logs,ids}.test.ts',
      'plugins/svm/test/transfer-fee.test.ts',
      'plugins/tonvm/test/{comments,jettons}.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/*.nightly.test.ts'],
    environment: 'node',
    pool: 'forks',
    execArgv: [`--conditions=${SOURCE}`],
    setupFiles: ['reflect-metadata'],
    testTimeout: 20_000,
  },
});
