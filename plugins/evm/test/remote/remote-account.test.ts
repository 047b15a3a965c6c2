import { type Clock, type Hex, NotSignedError, type RemoteSigner } from '@causeway/core';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeEach, describe, expect, it } from 'vitest';
import { RemoteEvmAccount } from '../../src/remote/remote-account.js';
import type { UnsignedTransaction } from '../../src/signed-transaction.js';
import { clock, key, recordingAlerts, recordingLogger } from '../support/services.js';

const holder = privateKeyToAccount(key(1));
const ADDRESS = holder.address.toLowerCase() as Hex;
const ASKED: UnsignedTransaction = {
  ...{ type: 'eip1559', chainId: 31337, nonce: 3, to: `0x${'ab'.repeat(20)}`, value: 5n, data: '0x' },
  ...{ gas: 21_000n, maxFeePerGas: 30n, maxPriorityFeePerGas: 2n },
};

let now = 0;
let asked: Readonly<Record<string, unknown>>[];
let signs: () => Promise<string>;
let accounts: () => Promise<readonly string[]>;
let alerts: ReturnType<typeof recordingAlerts>;
let log: ReturnType<typeof recordingLogger>;
let found: RemoteSigner | undefined;
let account: RemoteEvmAccount;

beforeEach(() => {
  now = 0;
  asked = [];
  signs = () => holder.signTransaction(ASKED as never);
  accounts = async () => [holder.address];
  alerts = recordingAlerts();
  log = recordingLogger();
  found = {
    id: 'vault',
    accounts: () => accounts(),
    sign: (transaction) => {
      asked.push(transaction);
      return signs();
    },
  };
  const time: Clock = { ...clock, monotonic: () => now };
  account = new RemoteEvmAccount({
    ...{ chain: { id: 31337, displayName: 'Test' }, id: 'vault', address: ADDRESS, find: () => found },
    ...{ clock: time, log, alerts },
  });
});

const fails = async (why: string | RegExp) => {
  const error: unknown = await account.signTransaction(ASKED).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NotSignedError);
  expect((error as Error).message).toMatch(why);
};
const raised = () => alerts.list().map(({ id, message }) => `${id}: ${message}`);

describe('an account of a remote signer', () => {
  it('asks for the whole transaction, and has it signed', async () => {
    expect(await account.signTransaction(ASKED)).toBe(await holder.signTransaction(ASKED as never));
    expect(asked).toEqual([
      {
        ...{ from: ADDRESS, to: `0x${'ab'.repeat(20)}`, gas: '0x5208', maxFeePerGas: '0x1e' },
        ...{ maxPriorityFeePerGas: '0x2', value: '0x5', data: '0x', nonce: '0x3', chainId: '0x7a69', type: '0x2' },
      },
    ]);
    expect(raised()).toEqual([]);
  });

  it('raises an alert while nothing is signed, asks after pauses, and clears it', async () => {
    signs = async () => Promise.reject(new Error('the connection failed (ECONNREFUSED)'));
    await fails(/does not sign: the connection failed/);
    expect(raised()).toEqual([
      `remote-signer-31337-${ADDRESS}: Test: payments wait for the remote signer vault: it does not sign: the connection failed (ECONNREFUSED)`,
    ]);
    // What waits for further signatures fails at once.
    await fails(/ECONNREFUSED/);
    expect(asked).toHaveLength(1);
    const pauses: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      const [before, count] = [now, asked.length];
      while (asked.length === count) {
        now += 500;
        await fails(/ECONNREFUSED/);
      }
      pauses.push(now - before);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    signs = () => holder.signTransaction(ASKED as never);
    now += 15_000;
    await account.signTransaction(ASKED);
    expect([raised(), account.problem()]).toEqual([[], null]);
  });

  it.each([
    ['nonce', { nonce: 4 }],
    ['to', { to: `0x${'cd'.repeat(20)}` }],
    ['value', { value: 6n }],
  ])('refuses another transaction, naming the field: %s', async (field, change) => {
    signs = () => holder.signTransaction({ ...ASKED, ...change } as never);
    await fails(new RegExp(`something else than asked, which is not sent: ${field} is `));
    expect(raised()[0]).toContain(`${field} is `);
    expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it('refuses the signature of another key, and garbage', async () => {
    signs = () => privateKeyToAccount(key(2)).signTransaction(ASKED as never);
    await fails(/: from is /);
    now += 60_000;
    signs = async () => 'ok';
    await fails(/no hex data/);
  });

  it('says what is wrong with its accounts', async () => {
    expect(await account.check()).toMatchObject({ ok: true });
    accounts = async () => [privateKeyToAccount(key(2)).address];
    expect(await account.check()).toMatchObject({
      ok: false,
      fatal: true,
      message: expect.stringContaining('not the key'),
    });
    expect(account.problem()).toContain('not the key');
    accounts = async () => Promise.reject(new Error('no whole answer within 5000 ms'));
    expect(await account.check()).toMatchObject({
      ok: false,
      fatal: false,
      message: expect.stringContaining('5000 ms'),
    });
    found = undefined;
    expect(await account.check()).toMatchObject({
      ok: false,
      fatal: true,
      message: expect.stringContaining('no plugin adds'),
    });
    found = { id: 'vault', accounts: async () => [ADDRESS], sign: signs };
    expect(await account.check()).toMatchObject({ ok: true });
    expect([account.problem(), raised()]).toEqual([null, []]);
  });

  it('counts as broken for a minute after it refused to sign, although it lists its accounts', async () => {
    signs = async () => Promise.reject(new Error('locked'));
    await fails(/locked/);
    now += 30_000;
    expect(await account.check()).toMatchObject({ ok: true });
    expect(account.problem()).toContain('locked');
    now += 31_000;
    await account.check();
    expect(account.problem()).toBeNull();
  });

  it('signs no authorizations, which is no failure of the signer', async () => {
    const error: unknown = await account
      .signTransaction({ ...ASKED, type: 'eip7702', authorizationList: [] } as never)
      .catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(NotSignedError);
    expect(String(error)).toContain('EIP-7702');
    expect(asked).toEqual([]);
  });
});
