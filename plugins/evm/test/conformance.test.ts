import { chainConformance, runConformance } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { anvilGround } from './conformance/anvil-harness.js';

it('keeps the contract of chain adapters on a real chain', async () => {
  const ground = await anvilGround();
  try {
    const report = await runConformance(chainConformance, ground.make, { on: 'anvil', caseTimeoutMs: 60_000 });
    console.log(report.text);
    expect(report.cases.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    const without = report.cases.flatMap(({ outcome, reason }) => (outcome === 'notApplicable' ? [reason] : []));
    expect(without.map((reason) => /^no (\w+):/.exec(reason)?.[1])).toEqual([
      'mempool',
      'signerHistory',
      'signerHistory',
      'messageExpiry',
      'messageExpiry',
      'keyExpiry',
      'garbledNames',
      'writtenNames',
      'forgottenHistory',
      'forgottenHistory',
      'mempool',
    ]);
  } finally {
    await ground.stop();
  }
}, 600_000);
