import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blamed } from '../../src/testing/chain/blame.js';
import { chainConformance } from '../../src/testing/chain/chain-conformance.js';
import type { ChainHarness } from '../../src/testing/chain/chain-harness.js';
import { FakeChainHarness } from '../../src/testing/fake-chain/fake-chain-harness.js';
import { runCase } from '../../src/testing/report.js';

const folder = (path: string): string => new URL(`../../${path}/`, import.meta.url).pathname;
const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const CONTRACT = [
  ...readdirSync(folder('src/contract')).map((file) => textOf(`src/contract/${file}`)),
  textOf('src/testing/chain/chain-harness.ts'),
];

/** Whether the named chapter, type or member exists. */
function isThere(read: string): boolean {
  const [, chapter, page] = /^"(.+)" in (docs\/\S+)$/.exec(read) ?? [];
  if (chapter !== undefined) return new RegExp(`^#+ ${chapter}$`, 'm').test(textOf(page ?? ''));
  const [type, member] = read.split('.');
  const declared = CONTRACT.find((text) => new RegExp(`export (interface|type) ${type}\\b`).test(text));
  return declared !== undefined && (member === undefined || new RegExp(`\\b${member}\\??[(:]`).test(declared));
}

function failing(): ChainHarness {
  return new Proxy(new FakeChainHarness('nonce') as ChainHarness, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== 'function') return member;
      if (name === 'dispose') return () => target.dispose();
      return () => {
        throw new Error('the node is gone');
      };
    },
  });
}

describe('each case of the chain kit', () => {
  it('names something to read that there is', () => {
    const lost = chainConformance.cases.filter(({ read }) => read === undefined || !isThere(read));
    expect(lost.map(({ name, read }) => `${name}: ${read}`)).toEqual([]);
  });

  it('says so where the harness fails', async () => {
    for (const check of chainConformance.cases) {
      const { outcome, reason } = await runCase(chainConformance, check, async () => failing(), 10_000);
      if (outcome === 'notApplicable') continue;
      expect(reason, check.name).toMatch(/^harness: \w+ failed: the node is gone; read ChainHarness\.\w+$/);
    }
  });
});

describe('a message', () => {
  it.each([
    ['paid once', 'adapter: paid once; read SendOutcome'],
    ['harness: it names no currency', 'harness: it names no currency; read SendOutcome'],
    ['adapter: look lies; read KeyEvidence', 'adapter: look lies; read KeyEvidence'],
    [
      'timed out waiting for adapter: look to see it',
      'adapter: timed out waiting for look to see it; read SendOutcome',
    ],
    ['Expected values to be equal:\n\n1 !== 2', 'adapter: Expected values to be equal; read SendOutcome\n\n1 !== 2'],
    ['', 'adapter: it failed without a message; read SendOutcome'],
  ])('of %j reports who is wrong and what to read', (text, reported) => {
    expect((blamed(new Error(text), 'SendOutcome') as Error).message).toBe(reported);
  });
});
