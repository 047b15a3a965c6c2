import { describe, expect, it } from 'vitest';
import { chainConformance } from '../../src/testing/chain/chain-conformance.js';
import { FakeChainHarness } from '../../src/testing/fake-chain/fake-chain-harness.js';
import type { FakeProfileName } from '../../src/testing/fake-chain/fake-chain-types.js';
import { runCase } from '../../src/testing/report.js';

const PROFILES: readonly FakeProfileName[] = ['nonce', 'expiring', 'utxo', 'async'];

for (const profile of PROFILES) {
  describe(`a fake chain of profile ${profile} keeps`, () => {
    for (const check of chainConformance.cases) {
      it(`${check.subject}: ${check.name}`, async () => {
        const report = await runCase(chainConformance, check, async () => new FakeChainHarness(profile), 10_000);
        if (report.outcome === 'failed') throw report.error;
        expect(report.reason === '' || report.outcome === 'notApplicable').toBe(true);
      });
    }
  });
}
