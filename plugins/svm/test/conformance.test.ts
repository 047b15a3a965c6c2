import { chainConformance, runConformance } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { nodeGround } from './conformance/node-harness.js';

it('keeps the contract of chain adapters on a real chain', async () => {
  const ground = await nodeGround();
  try {
    const report = await runConformance(chainConformance, ground.make, { on: 'the local node', caseTimeoutMs: 90_000 });
    console.log(report.text);
    expect(report.cases.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    const without = report.cases.flatMap(({ outcome, reason }) => (outcome === 'notApplicable' ? [reason] : []));
    expect(new Set(without.map((reason) => /^no (\w+):/.exec(reason)?.[1]))).toEqual(
      new Set([
        'depositsTogether',
        'destinationCalls',
        'namedDepositors',
        'recipientCode',
        'mempool',
        'paymentReplacement',
        'nonceMappings',
        'permits',
        'rawCalls',
        'reorgs',
        'sharedKeys',
        'messageExpiry',
        'heldPool',
        'replacement',
        'fillDeadline',
        'fillOnce',
        'withdrawOnce',
        'garbledNames',
        'forgottenHistory',
      ]),
    );
  } finally {
    await ground.stop();
  }
}, 600_000);
