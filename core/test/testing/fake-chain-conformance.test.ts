import { describe, expect, it } from 'vitest';
import { chainConformance } from '../../src/testing/chain/chain-conformance.js';
import { FakeChainHarness } from '../../src/testing/fake-chain/fake-chain-harness.js';
import type { FakeProfileName } from '../../src/testing/fake-chain/fake-chain-types.js';
import { runCase } from '../../src/testing/report.js';

const PROFILES: readonly (readonly [FakeProfileName, shares?: boolean])[] = [
  ['nonce'],
  ['nonce', true],
  ['expiring'],
  ['utxo'],
  ['async'],
];

for (const [profile, shares] of PROFILES) {
  describe(`a fake chain of profile ${profile}${shares ? ', whose fills share transactions,' : ''} keeps`, () => {
    for (const check of chainConformance.cases) {
      it(`${check.subject}: ${check.name}`, async () => {
        const report = await runCase(
          chainConformance,
          check,
          async () => new FakeChainHarness(profile, shares),
          10_000,
        );
        if (report.outcome === 'failed') throw report.error;
        expect(report.reason === '' || report.outcome === 'notApplicable').toBe(true);
      });
    }
  });
}
