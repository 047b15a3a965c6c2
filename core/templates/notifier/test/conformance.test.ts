import { notifierConformance, runConformance, workList } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { harness } from './support/harness.js';

/** The file to open if a failed case names none. */
const STEPS = [{ subjects: ['delivery'], file: 'src/outcome.ts', page: 'docs/plugins/notifier.md' }] as const;

it('passes the conformance kit for notifiers', async () => {
  const report = await runConformance(notifierConformance, harness, { on: '__ID__', caseTimeoutMs: 10_000 });
  console.log(workList(report, STEPS));
  const failed = report.cases.filter(({ outcome }) => outcome === 'failed');
  expect(failed.length, 'number of failed cases, listed above').toBe(0);
}, 120_000);
