import { describe, expect, it } from 'vitest';
import type { ChainAdapter } from '../../src/contract/chain-adapter.js';
import { chainConformance } from '../../src/testing/chain/chain-conformance.js';
import type { ChainHarness } from '../../src/testing/chain/chain-harness.js';
import { FakeChainHarness } from '../../src/testing/fake-chain/fake-chain-harness.js';
import { runCase, runConformance } from '../../src/testing/report.js';
import type { Defect } from './support/defect.js';
import { DEFECTS } from './support/defects.js';

function broken(adapter: ChainAdapter, { breaks }: Defect): ChainAdapter {
  const wrong = breaks(adapter);
  return new Proxy(adapter, {
    get: (target, name) => Reflect.get(name in wrong ? wrong : target, name) as unknown,
  });
}

function harnessOf({ profile = 'nonce', vault }: Pick<Defect, 'profile' | 'vault'>): FakeChainHarness {
  return new FakeChainHarness(profile, { vault: vault === true });
}

function withDefect(defect: Defect): ChainHarness {
  const harness = harnessOf(defect);
  const open = harness.open.bind(harness);
  harness.open = async () => {
    const process = await open();
    return { ...process, adapter: broken(process.adapter, defect) };
  };
  return harness;
}

describe('the chain kit notices an adapter that', () => {
  for (const defect of DEFECTS) {
    it(defect.name, async () => {
      const check = chainConformance.cases.find(({ name }) => name === defect.noticedBy);
      if (check === undefined) throw new Error(`no case "${defect.noticedBy}"`);
      const sound = await runCase(chainConformance, check, async () => harnessOf(defect), 10_000);
      expect(sound.outcome, sound.reason).toBe('passed');
      const report = await runCase(chainConformance, check, async () => withDefect(defect), 10_000);
      expect(report.outcome).toBe('failed');
      expect(report.reason).not.toMatch(/not done after/);
      expect(report.reason.split('\n')[0]).toMatch(/^adapter: \S.*; read \S/);
    });
  }
});

describe('the chain kit', () => {
  it('gives each case a name of its own', () => {
    const names = chainConformance.cases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('asks only for abilities that a harness may lack, and for each of them at least once', () => {
    const asked = new Set(chainConformance.cases.flatMap(({ needs }) => needs ?? []));
    expect([...asked].sort()).toEqual([...chainConformance.abilities].sort());
  });

  it('fails a harness that lacks an ability without declaring it', async () => {
    const without = async (): Promise<ChainHarness> => {
      const { payOrphan: _, ...methods } = bound(new FakeChainHarness('nonce'));
      return methods;
    };
    const report = await runConformance(chainConformance, without, {
      only: ({ name }) => name.startsWith('has what its harness') || name.startsWith('observes a transfer without'),
    });
    expect(report.cases.map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
  });
});

/** Plain members, so that one can be omitted. */
function bound(harness: FakeChainHarness): ChainHarness {
  const names = [...Object.getOwnPropertyNames(FakeChainHarness.prototype), ...Object.keys(harness)];
  const entries = names
    .filter((name) => name !== 'constructor')
    .map((name) => {
      const member = Reflect.get(harness, name) as unknown;
      return [name, typeof member === 'function' ? member.bind(harness) : member] as const;
    });
  return Object.fromEntries(entries) as unknown as ChainHarness;
}
