import { describe, expect, it } from 'vitest';
import type { ChainAdapter } from '../../src/contract/index.js';
import type { Custodians } from '../../src/domain/custodians.js';
import { ApiError } from '../../src/errors/api-error.js';
import { refuseAccount } from '../../src/screening/payees.js';
import { BURN } from '../api/support/chain-double.js';
import { POLICY } from '../api/support/running-api.js';
import { alpha, beta, quoted, quoterWith } from './support/quoter-with.js';

const SWALLOWS = `0x${'92'.repeat(20)}`;
const STANDS = `0x${'93'.repeat(20)}`;
const EXCHANGE = `0x${'94'.repeat(20)}`;
const OWN_OF_CUSTOMER = `0x${'95'.repeat(20)}`;

/** One address is invalid by its text, another by chain state. */
function judging(chain: ChainAdapter, asked: string[] = []): ChainAdapter {
  const depositAddresses = { derive: () => `0x${'77'.repeat(20)}`, steps: () => [] };
  const made = Object.create(chain, {
    capabilities: { value: { ...chain.capabilities, depositAddresses } },
  }) as ChainAdapter;
  return Object.assign(made, {
    refuseAddress: (address: string) => (address === STANDS ? 'stands for something' : undefined),
    refuseAccount: async (address: string) => {
      asked.push(address);
      return address === SWALLOWS ? 'is a token account' : undefined;
    },
  });
}

const custodian = new Map([
  [EXCHANGE, { needsMemo: true }],
  [OWN_OF_CUSTOMER, { needsMemo: false }],
]);
const custodians: Custodians = new Map([
  [1, custodian],
  [2, custodian],
]);

function quoter(asked: string[] = []) {
  const chains = new Map([
    [1, judging(alpha.adapter, asked)],
    [2, judging(beta.adapter, asked)],
  ]);
  return quoterWith({ chains, policy: { ...POLICY, custodians } });
}

const feeTo = (recipient: string) => ({ appFees: [{ recipient, fee: '10' }] });

describe('an account that swallows what it gets', () => {
  it.each([
    ['recipient', { recipient: SWALLOWS }, 'INVALID_RECIPIENT'],
    ['recipient', { recipient: STANDS }, 'INVALID_RECIPIENT'],
    ['user', { user: STANDS, recipient: undefined }, 'INVALID_RECIPIENT'],
    ['user', { user: STANDS }, 'INVALID_ADDRESS'],
    ['refundTo', { refundTo: SWALLOWS }, 'INVALID_ADDRESS'],
    ['refundTo', { refundTo: STANDS }, 'INVALID_ADDRESS'],
    ['recoveryAddress', { recoveryAddress: STANDS }, 'INVALID_ADDRESS'],
    ['recoveryAddress', { useDepositAddress: true, recoveryAddress: SWALLOWS }, 'INVALID_ADDRESS'],
    ['user', { useDepositAddress: true, user: SWALLOWS }, 'INVALID_ADDRESS'],
    ['appFees[0].recipient', feeTo(SWALLOWS), 'INVALID_ADDRESS'],
    ['appFees[0].recipient', feeTo(STANDS), 'INVALID_ADDRESS'],
    ['recipient', { recipient: EXCHANGE }, 'INVALID_RECIPIENT'],
    ['refundTo', { refundTo: EXCHANGE }, 'INVALID_REQUEST'],
    ['user', { user: EXCHANGE }, 'INVALID_REQUEST'],
  ])('is refused as %s: %j', async (field, change, code) => {
    const refused = await quoted(quoter(), change);
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toMatchObject({ code, errorData: { field } });
    expect((refused as ApiError).message).toMatch(/stands for something|is a token account|needs a memo/);
  });

  it('is no custodian who needs no memo, and no payer whose refunds go elsewhere', async () => {
    const change = { recipient: OWN_OF_CUSTOMER, refundTo: OWN_OF_CUSTOMER };
    for (const one of [change, { ...change, user: EXCHANGE }])
      expect(await quoted(quoter(), one)).not.toBeInstanceOf(Error);
  });

  it('is what pages name until a third party says whom to pay: it is quoted, and never asked about', async () => {
    const asked: string[] = [];
    expect(await quoted(quoter(asked), { recipient: BURN })).not.toBeInstanceOf(Error);
    expect(asked).toEqual([]);
  });

  it('is asked about once, and found at once from then on', async () => {
    const asked: string[] = [];
    const one = quoter(asked);
    for (const _ of [1, 2, 3]) await quoted(one, { refundTo: OWN_OF_CUSTOMER });
    expect(asked).toHaveLength(2);
  });
});

describe('what third parties have asked of a chain', () => {
  const clock = { monotonic: () => 0, sleep: () => new Promise<never>(() => undefined) };

  it('is bounded, and shared by those who name the same account', async () => {
    const asked: string[] = [];
    const silent = { refuseAccount: (address: string) => new Promise<undefined>(() => void asked.push(address)) };
    const chain = silent as unknown as ChainAdapter;
    for (let n = 0; n < 100; n += 1) for (const _ of [1, 2]) void refuseAccount(chain, `account ${n}`, clock);
    expect(asked).toHaveLength(4);
    expect(refuseAccount(chain, 'account 99', clock)).toBeUndefined();
  });

  it('is waited for only briefly, and keeps no quote where it fails', async () => {
    const late = { refuseAccount: () => new Promise<string>(() => undefined) } as unknown as ChainAdapter;
    expect(await refuseAccount(late, 'a', { ...clock, sleep: async () => undefined })).toBeUndefined();
    const failing = { refuseAccount: async () => Promise.reject(new Error('no answer')) } as unknown as ChainAdapter;
    expect(await refuseAccount(failing, 'a', clock)).toBeUndefined();
  });

  it('is not asked again at once where it failed', async () => {
    let asked = 0;
    const refuseIt = async () => {
      asked += 1;
      throw new Error('no answer');
    };
    const failing = { refuseAccount: refuseIt } as unknown as ChainAdapter;
    let now = 0;
    const moving = { ...clock, monotonic: () => now };
    for (const at of [0, 5_000, 9_999, 10_000]) {
      now = at;
      expect(await refuseAccount(failing, 'a', moving)).toBeUndefined();
    }
    expect(asked).toBe(2);
  });
});

it.each([
  ['recipient', 'INVALID_RECIPIENT'],
  ['refundTo', 'INVALID_ADDRESS'],
  ['recoveryAddress', 'INVALID_ADDRESS'],
])('a contract of the service that only its chain names is refused as %s', async (field, code) => {
  const own = `0x${'96'.repeat(20)}`;
  const naming = (chain: ChainAdapter): ChainAdapter =>
    Object.assign(Object.create(chain) as ChainAdapter, { facts: { ...chain.facts, ownContracts: [own] } });
  const chains = new Map([
    [1, naming(alpha.adapter)],
    [2, naming(beta.adapter)],
  ]);
  const answer = await quoted(quoterWith({ chains }), { [field]: own });
  expect(answer).toMatchObject({ code, errorData: { field } });
  expect((answer as ApiError).message).toContain('is a contract of this service');
});
