import { describe, expect, it } from 'vitest';
import { lacks } from '../../plugins/bvm/test/support/have-node.js';
import { AT_NIGHT } from '../support/at-night.js';
import type { Side } from '../support/families/side.js';
import { bvmFlows, openBvm } from './families/bvm.js';
import type { FamilyFlow } from './families/flow.js';
import { restoreAfter } from './families/restore-after.js';
import type { FamiliesStage } from './families/stage.js';
import { openSvm, SVM_FLOWS } from './families/svm.js';
import { openTon, TON_FLOWS } from './families/ton.js';
import { shuffle } from './record.js';

const TIMEOUT_MS = 300_000;

async function restoresAfterEach<S extends Side>(
  open: () => Promise<FamiliesStage<S>>,
  flows: readonly FamilyFlow<S>[],
): Promise<void> {
  const stage = await open();
  try {
    for (const flow of flows) {
      const { sentBefore, sentAfter } = await restoreAfter(stage, flow);
      expect(sentAfter, flow.name).toBe(sentBefore);
    }
    expect(await stage.violations()).toEqual([]);
  } finally {
    await stage.close();
  }
}

describe('an old database is restored, and nothing is done twice', () => {
  it('where no contract keeps it from refunding', { timeout: TIMEOUT_MS }, async () => {
    const flows = SVM_FLOWS.filter(({ status }) => status === 'refund');
    expect(flows).toHaveLength(2);
    await restoresAfterEach(openSvm, flows);
  });

  it.runIf(AT_NIGHT)('where a comment is all that names a payment', { timeout: TIMEOUT_MS }, async () => {
    const flows = TON_FLOWS.filter(({ name }) => name === 'refund of coins');
    expect(flows).toHaveLength(1);
    await restoresAfterEach(openTon, flows);
  });

  it.skipIf(lacks('bitcoin'))('where money is outputs', { timeout: TIMEOUT_MS }, async () => {
    const names = [
      ...['fills of three in one transaction', 'refund out of its own output', 'refund out of a deposit address'],
      'collect of outputs',
    ];
    const flows = names.flatMap((name) => bvmFlows('bitcoin').filter((flow) => flow.name === name));
    expect(flows).toHaveLength(names.length);
    // The gate plays one of them, another with each commit.
    if (!AT_NIGHT) flows.sort((a, b) => (shuffle(a.name) < shuffle(b.name) ? -1 : 1)).splice(1);
    await restoresAfterEach(() => openBvm('bitcoin'), flows);
  });
});
