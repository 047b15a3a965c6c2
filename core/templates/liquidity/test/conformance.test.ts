import { liquidityConformance, runConformance, type WorkStep, workList } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { harness } from './support/harness.js';

const page = 'docs/plugins/liquidity.md';

/** The order of work, and the file to open if a failed case names none. */
const STEPS: readonly WorkStep[] = [
  { subjects: ['swaps'], file: 'src/quote.ts', page },
  { subjects: ['exchange'], file: 'src/calls.ts', page },
  { subjects: ['upstream'], file: 'src/quote.ts', page },
];

it('passes the conformance kit for liquidity sources', async () => {
  const report = await runConformance(liquidityConformance, harness, { on: '__ID__', caseTimeoutMs: 30_000 });
  console.log(workList(report, STEPS));
  const failed = report.cases.filter(({ outcome }) => outcome === 'failed');
  expect(failed.length, 'number of failed cases, listed above').toBe(0);
}, 600_000);
