import { runConformance, screenerConformance, workList } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { harness } from './support/harness.js';

/** Where to work on what fails. */
const STEPS = [{ subjects: ['screening'], file: 'src/question.ts', page: 'docs/plugins/screening.md' }] as const;

it('keeps the contract of screeners', async () => {
  const report = await runConformance(screenerConformance, harness, { on: '__ID__', caseTimeoutMs: 20_000 });
  console.log(workList(report, STEPS));
  const failed = report.cases.filter(({ outcome }) => outcome === 'failed');
  expect(failed.length, 'cases that fail, listed above').toBe(0);
}, 120_000);
