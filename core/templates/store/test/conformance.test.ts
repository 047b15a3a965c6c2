import { runConformance, storeConformance, type WorkStep, workList } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { harness } from './support/harness.js';

const page = 'docs/plugins/store.md';

/** The order of work, and the file to open if a failed case names none. */
const STEPS: readonly WorkStep[] = [
  { subjects: ['apply', 'books', 'concurrency', 'races'], file: 'src/apply.ts', page },
  { subjects: ['leases'], file: 'src/leases.ts', page },
  { subjects: ['feed'], file: 'src/reads/events.ts', page },
  { subjects: ['crash'], file: 'src/database.ts', page },
  { subjects: ['reads'], file: 'src/store.ts', page },
  { subjects: ['retention'], file: 'src/prune.ts', page },
  { subjects: ['search'], file: 'src/reads/requests.ts', page },
];

it('passes the conformance kit for stores', async () => {
  const report = await runConformance(storeConformance, harness, { on: '__ID__', caseTimeoutMs: 60_000 });
  console.log(workList(report, STEPS));
  const failed = report.cases.filter(({ outcome }) => outcome === 'failed');
  expect(failed.length, 'number of failed cases, listed above').toBe(0);
}, 1_800_000);
