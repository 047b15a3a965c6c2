import { priceConformance, runConformance, workList } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { harness } from './support/harness.js';

/** The file to open if a failed case names none. */
const STEPS = [{ subjects: ['prices'], file: 'src/source.ts', page: 'docs/plugins/prices.md' }] as const;

it('passes the conformance kit for price sources', async () => {
  const report = await runConformance(priceConformance, harness, { on: '__ID__', caseTimeoutMs: 20_000 });
  console.log(workList(report, STEPS));
  const failed = report.cases.filter(({ outcome }) => outcome === 'failed');
  expect(failed.length, 'number of failed cases, listed above').toBe(0);
}, 120_000);
