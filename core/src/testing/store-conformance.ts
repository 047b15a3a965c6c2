import { type ConformanceKit, runCase } from './report.js';
import type { ConformanceCase, Guarantee } from './report-types.js';
import type { StoreCase, StoreHarness } from './store-case.js';
import { addressCases } from './store-cases-addresses.js';
import { applyCases } from './store-cases-apply.js';
import { bookCases } from './store-cases-books.js';
import { concurrencyCases } from './store-cases-concurrency.js';
import { crashCases } from './store-cases-crash.js';
import { deliveryCases } from './store-cases-deliveries.js';
import { executionCases } from './store-cases-executions.js';
import { feedCases } from './store-cases-feed.js';
import { leaseCases } from './store-cases-leases.js';
import { raceCases } from './store-cases-races.js';
import { readCases } from './store-cases-reads.js';
import { requestCases } from './store-cases-requests.js';
import { retentionCases } from './store-cases-retention.js';
import { searchCases } from './store-cases-search.js';
import { randomSearchCases } from './store-cases-search-random.js';

function group(
  subject: string,
  guarantees: readonly Guarantee[],
  cases: readonly StoreCase[],
): ConformanceCase<StoreHarness>[] {
  return cases.map((check) => ({ subject, guarantees, ...check }));
}

/**
 * Rules for every store. For any test runner:
 *
 *     const report = await runConformance(storeConformance, makeHarness, { on: 'my database' });
 *     console.log(report.text);
 *
 * or a test per case: `for (const check of storeConformance.cases) it(check.name, () => runStoreCase(check,
 * makeHarness))`.
 */
export const storeConformance: ConformanceKit<StoreHarness> = {
  title: 'store',
  abilities: [],
  cases: [
    ...group('apply', ['G2', 'G3', 'G6'], applyCases),
    ...group('books', ['G10', 'G12'], bookCases),
    ...group('concurrency', ['G3', 'G6'], concurrencyCases),
    ...group('races', ['G1', 'G3', 'G6', 'G12'], raceCases),
    ...group('leases', ['G1', 'G3', 'G9', 'G13'], leaseCases),
    ...group('feed', ['G9'], feedCases),
    ...group('crash', ['G2', 'G5', 'G13'], crashCases),
    ...group('reads', ['G2'], [...readCases, ...requestCases, ...addressCases, ...executionCases, ...deliveryCases]),
    ...group('retention', ['G2'], retentionCases),
    ...group('search', [], [...searchCases, ...randomSearchCases]),
  ],
};

/** Runs a case on a separate database and always disposes of it; rejects on failure. */
export async function runStoreCase(
  check: ConformanceCase<StoreHarness>,
  make: () => Promise<StoreHarness>,
): Promise<void> {
  const report = await runCase(storeConformance, check, make);
  if (report.outcome === 'failed') throw report.error;
}
