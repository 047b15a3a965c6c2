import { chainConformance, runConformance } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { harnessOf } from './conformance/harness.js';
import { ground } from './support/ground.js';

const LACKS = [
  ...[
    'depositsTogether',
    'namedDepositors',
    'mempool',
    'heldPool',
    'paymentReplacement',
    'reorgs',
    'pipeline',
    'nonceMappings',
    'permits',
    'rawCalls',
  ],
  ...['replacement', 'signerHistory', 'keyExpiry', 'fillOnce', 'withdrawOnce', 'destinationCalls', 'recipientCode'],
  ...['turningRecipients', 'signedTexts'],
];

it('keeps the contract of chain adapters on a chain with the executor of the network', async () => {
  // One chain for all cases of the kit; a new one after a case that prunes the history.
  let place = await ground();
  const make = async () => {
    if (place.forgotten) {
      await place.node.stop();
      place = await ground();
    }
    await place.node.dev('settle');
    await place.node.dev('mine', { blocks: 3 });
    return await harnessOf(place);
  };
  try {
    const report = await runConformance(chainConformance, make, { on: 'the local chain', caseTimeoutMs: 60_000 });
    console.log(report.text);
    expect(report.cases.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    const without = report.cases.flatMap(({ outcome, reason }) => (outcome === 'notApplicable' ? [reason] : []));
    expect(new Set(without.map((reason) => /^no (\w+):/.exec(reason)?.[1]))).toEqual(new Set(LACKS));
  } finally {
    await place.node.stop();
  }
}, 900_000);
