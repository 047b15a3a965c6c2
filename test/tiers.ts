/** A tier of the tests: `npm test`, then `npm run test:more`; what is named `*.nightly.test.ts` runs at night. */
export type Tier = 'quick' | 'more';

/** Set by the npm scripts. Absent: every file of the lane but the nightly ones, so that any file can be run by name. */
export const TIER = process.env['CAUSEWAY_TIER'] as Tier | undefined;

/**
 * By lane: the files of `npm test`, which is to take eight minutes at most. Lanes that are not named here, and files that no
 * pattern names, belong to `npm run test:more`.
 */
export const QUICK: Readonly<Record<string, readonly string[]>> = {
  // Without the tests of the kits themselves and five files that wait for limits and draws.
  unit: [
    'core/test/!(conformance|testing|api|events|host)/**/*.test.ts',
    'core/test/testing/!(fake-chain-conformance).test.ts',
    'core/test/api/!(events|limits|ws-limits|ws-resume).test.ts',
    'core/test/events/!(dispatcher-drawn).test.ts',
  ],
  'unit-alone': ['core/test/host/**/*.test.ts', 'core/test/store/restore-midway.test.ts'],
  contract: ['test/contract/!(api-report|dashboard-pages|search-plans-pg|examples|aggregator).test.ts'],
  sim: ['test/sim/{same-seed,swaps-in,worker}.test.ts'],
  chain: [
    'plugins/{evm,svm,bvm,tonvm}/test/conformance.test.ts',
    'plugins/{webhooks,prices-http,screening-list,signer-web3,otel}/test/**/*.test.ts',
  ],
  e2e: [
    'test/e2e/{four-families,transfers,quotes,rest,calls,swaps,refunds,gas-topup,app-fees,webhooks,deposit-addresses}.test.ts',
  ],
  crash: ['test/crash/kill-matrix.test.ts'],
  sdk: ['test/sdk/**/*.test.ts'],
};
