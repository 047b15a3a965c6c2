import { chainConformance, runConformance } from '@causeway/core/testing';
import { describe, expect, it } from 'vitest';
import { nodeGround } from './conformance/node-harness.js';
import { lacks, type NodeKind } from './support/have-node.js';

const EVERYWHERE = [
  'depositsTogether',
  'destinationCalls',
  'failedDeposits',
  'fillDeadline',
  'fillOnce',
  'foreignCurrencies',
  'forgottenHistory',
  'garbledNames',
  'keepingTokens',
  'keyExpiry',
  'messageExpiry',
  'nonceMappings',
  'permits',
  'pipeline',
  'rawCalls',
  'recipientCode',
  'reverts',
  'shiftingEvents',
  'signerHistory',
  'sweeps',
  'turningRecipients',
  'withdrawOnce',
];

describe.each<readonly [NodeKind, readonly string[]]>([
  ['bitcoin', EVERYWHERE],
  ['litecoin', [...EVERYWHERE, 'paymentReplacement', 'replacement']],
])('%s', (kind, without) => {
  it.skipIf(lacks(kind))(
    'keeps the contract of chain adapters on a real chain',
    async () => {
      const ground = await nodeGround(kind);
      try {
        const report = await runConformance(chainConformance, ground.make, {
          on: `a ${kind} node`,
          caseTimeoutMs: 60_000,
        });
        console.log(report.text);
        expect(report.cases.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
        const lacking = report.cases.flatMap(({ outcome, reason }) => (outcome === 'notApplicable' ? [reason] : []));
        const named = new Set(lacking.map((reason) => /^no (\w+):/.exec(reason)?.[1]));
        expect([...named].sort()).toEqual([...without].sort());
      } finally {
        await ground.stop();
      }
    },
    600_000,
  );
});
