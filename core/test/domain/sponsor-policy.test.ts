import { describe, expect, it } from 'vitest';
import { judgePolicy, type PolicyAsk, type PolicyUse, type SponsorPolicy } from '../../src/domain/sponsor-policy.js';

const TARGETS = [
  { chainId: 1, address: '0xa', selectors: ['0x12345678', '0x'] },
  { chainId: 2, address: '0xb' },
];
const call = (chainId: number, to: string, data: string) => ({ chainId, to, data });
const USED: PolicyUse = { day: 50n, month: 80n, user: 20n };

/** What is asked unless a row says otherwise: 10 micro-USD for no calls. */
const ROWS: readonly (readonly [SponsorPolicy, Partial<PolicyAsk>, string | null])[] = [
  [{}, { amount: 10n ** 30n, calls: [call(9, '0xz', '0x')] }, null],
  [{ expiresAt: 1_001 }, {}, null],
  [{ expiresAt: 1_000 }, {}, 'expiresAt'],
  [{ maxPerCall: 10n }, {}, null],
  [{ maxPerCall: 9n }, {}, 'maxPerCall'],
  [{ maxPerCall: 0n }, {}, 'maxPerCall'],
  [{ maxPerUser: 30n }, {}, null],
  [{ maxPerUser: 29n }, {}, 'maxPerUser'],
  [{ maxPerDay: 60n }, {}, null],
  [{ maxPerDay: 59n }, {}, 'maxPerDay'],
  [{ maxPerMonth: 90n }, {}, null],
  [{ maxPerMonth: 89n }, {}, 'maxPerMonth'],
  [{ maxPerDay: 1n, maxPerMonth: 1n, maxPerCall: 1n, expiresAt: 0 }, {}, 'expiresAt'],
  [{ targets: TARGETS }, {}, null],
  [{ targets: TARGETS }, { calls: [call(1, '0xa', '0x12345678ff')] }, null],
  [{ targets: TARGETS }, { calls: [call(1, '0xa', '0x12345678')] }, null],
  [{ targets: TARGETS }, { calls: [call(1, '0xa', '0x')] }, null],
  [{ targets: TARGETS }, { calls: [call(1, '0xa', '0x1234567f')] }, 'targets'],
  [{ targets: TARGETS }, { calls: [call(2, '0xa', '0x12345678')] }, 'targets'],
  [{ targets: TARGETS }, { calls: [call(2, '0xb', '0xdeadbeef')] }, null],
  [{ targets: TARGETS }, { calls: [call(2, '0xb', '0x'), call(1, '0xb', '0x')] }, 'targets'],
  [{ targets: [] }, { calls: [call(2, '0xb', '0x')] }, 'targets'],
];

describe('a policy', () => {
  it.each(ROWS.map((row, n) => [n, ...row] as const))('row %i refuses by its rule', (_, policy, asked, rule) => {
    const ask: PolicyAsk = { now: 1_000, amount: 10n, calls: [], ...asked };
    const refusal = judgePolicy(policy, ask, USED);
    expect(refusal?.rule ?? null).toBe(rule);
    expect(refusal === null || refusal.message.length > 20).toBe(true);
  });

  it('names the bound, what is used of it, and what was asked', () => {
    const refusal = judgePolicy({ maxPerDay: 59n }, { now: 1_000, amount: 10n, calls: [] }, USED);
    expect(refusal?.message).toBe('maxPerDay of the policy is 59 micro-USD: 50 are used, and this takes 10');
  });
});
