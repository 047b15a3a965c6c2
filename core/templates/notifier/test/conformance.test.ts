import { notifierConformance, runConformance, workList } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { harness } from './support/harness.js';

/** Where to work on what fails. */
const STEPS = [{ subjects: ['delivery'], file: 'src/outcome.ts', page: 'docs/plugins/notifier.md' }] as const;

it('keeps the contract of notifiers', async () => {
  const report = await runConformance(notifierConformance, harness, { on: '__ID__', caseTimeoutMs: 10_000 });
  console.log(workList(report, STEPS));
  const failed = report.cases.filter(({ outcome }) => outcome === 'failed');
  expect(failed.length, 'cases that fail, listed above').toBe(0);
}, 120_000);
