import { describe, expect, it } from 'vitest';
import { chainConformance } from '../../src/testing/chain/chain-conformance.js';
import { FakeChainHarness, type FakeChainVariant } from '../../src/testing/fake-chain/fake-chain-harness.js';
import type { FakeProfileName } from '../../src/testing/fake-chain/fake-chain-types.js';
import { runCase } from '../../src/testing/report.js';

const PROFILES: readonly (readonly [FakeProfileName, variant?: FakeChainVariant])[] = [
  ['nonce'],
  ['nonce', { shares: true }],
  ['nonce', { vault: true }],
  ['nonce', { orderIdBytes: 16 }],
  ['expiring'],
  ['expiring', { vault: true }],
  ['utxo'],
  ['utxo', { orderIdBytes: 20 }],
  ['async'],
  ['async', { vault: true }],
];

for (const [profile, variant] of PROFILES) {
  const short = variant?.orderIdBytes ? `, with ${variant.orderIdBytes} bytes of an order id,` : '';
  const how = `${short}${variant?.shares ? ', whose fills share transactions,' : ''}${variant?.vault ? ', whose depository sends by itself,' : ''}`;
  describe(`a fake chain of profile ${profile}${how} keeps`, () => {
    for (const check of chainConformance.cases) {
      it(`${check.subject}: ${check.name}`, async () => {
        const report = await runCase(
          chainConformance,
          check,
          async () => new FakeChainHarness(profile, variant),
          10_000,
        );
        if (report.outcome === 'failed') throw report.error;
        expect(report.reason === '' || report.outcome === 'notApplicable').toBe(true);
      });
    }
  });
}
