import { describe, expect, it } from 'vitest';
import type { Devnet } from '../../src/contract/devnet.js';
import { checkAccounts, namingAccounts } from '../../src/host/demo/check-accounts.js';
import type { DevnetFile } from '../../src/host/dev/devnet-file.js';

const account = (n: number, more: object = {}) => ({
  vmType: 'any',
  address: `0x${n}`,
  privateKey: `key-${n}`,
  ...more,
});
const chain = { id: 7, vmType: 'any', name: 'seven', rpcUrl: '', currencies: [], contracts: {} };

const file = (accounts: unknown): DevnetFile => ({ chains: [chain], accounts }) as unknown as DevnetFile;

describe('accounts of the local build', () => {
  it('are taken as they are', () => {
    const given = [account(1), account(2, { chainId: 7 })];
    expect(() => checkAccounts(file(given))).not.toThrow();
    expect(given).toEqual([account(1), account(2, { chainId: 7 })]);
  });

  it.each([
    [undefined, ': `accounts` is missing'],
    ['none', 'accounts: must be an array'],
    [[account(1), account(2, { privateKey: '' })], 'accounts[1].privateKey: must NOT have fewer than 1 characters'],
    [[{ vmType: 'any', address: '0x1' }], 'accounts[0]: `privateKey` is missing'],
    [
      [account(1), account(2), account(3, { vmType: 'other' })],
      'accounts[2]: no chain of the local build is of family other',
    ],
    [
      [account(1), account(2), account(3, { chainId: 9 })],
      'accounts[2]: no chain of the local build is of family any and has id 9',
    ],
    [[account(1)], 'accounts: chain 7 (seven) has fewer than two'],
  ])('are refused with the field that is wrong: %j', (accounts, message) => {
    expect(() => checkAccounts(file(accounts))).toThrow(message);
  });

  it('are named where their wallet cannot use them, and their keys are not', async () => {
    const wallet = {
      sendStep: async () => Promise.reject(new TypeError('no key: key-2\n  and more')),
      balance: async () => Promise.reject(new RangeError('no address')),
    } as unknown as Devnet;
    const named = namingAccounts(wallet, file([account(1), account(2)]));
    await expect(named.sendStep(account(2), '', {})).rejects.toThrow(
      /^\.causeway\/devnet\.json: accounts\[1\]: its wallet cannot use it: no key: …$/,
    );
    await expect(named.balance('', '0x1', '')).rejects.toThrow('accounts[0]: its wallet cannot use it: no address');
  });
});
