import { chainConformance, runConformance, type WorkStep, workList } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { harness } from './support/harness.js';

const page = 'docs/plugins/chain.md';

/** The order of work, and the file to open if a failed case names none. The last step covers all other subjects. */
const STEPS: readonly WorkStep[] = [
  { subjects: ['identity'], file: 'src/state.ts', page },
  { subjects: ['addresses'], file: 'src/codec.ts', page },
  { subjects: ['observation', 'strangers', 'reorg', 'naming', 'own'], file: 'src/deposits.ts', page },
  { subjects: ['keys'], file: 'src/keys.ts', page },
  { subjects: ['sending', 'replacing', 'looking', 'depository', 'batches', 'crash'], file: 'src/payouts.ts', page },
  { subjects: ['finality', 'records', 'forgetting', 'providers'], file: 'src/history.ts', page },
  { subjects: ['recipients', 'calls'], file: 'src/payouts.ts', page },
];

it('passes the conformance kit for chain adapters', async () => {
  const report = await runConformance(chainConformance, harness, { on: '__ID__', caseTimeoutMs: 60_000 });
  console.log(workList(report, STEPS));
  const failed = report.cases.filter(({ outcome }) => outcome === 'failed');
  expect(failed.length, 'number of failed cases, listed above').toBe(0);
}, 1_800_000);
