import { priceConformance, runConformance, workList } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { harness } from './support/harness.js';

/** Where to work on what fails. */
const STEPS = [{ subjects: ['prices'], file: 'src/source.ts', page: 'docs/plugins/prices.md' }] as const;

it('keeps the contract of price sources', async () => {
  const report = await runConformance(priceConformance, harness, { on: '__ID__', caseTimeoutMs: 20_000 });
  console.log(workList(report, STEPS));
  const failed = report.cases.filter(({ outcome }) => outcome === 'failed');
  expect(failed.length, 'cases that fail, listed above').toBe(0);
}, 120_000);
