import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from '@causeway/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../../src/addresses.js';
import { depositSteps } from '../../src/deposits.js';
import { devnet } from '../../src/devnet/index.js';
import { rpc } from '../../src/devnet/rpc.js';
import { setUpSolver } from '../../src/devnet/solver.js';
import type { SvmChainOptions, SvmOptions } from '../../src/options.js';
import { PROGRAMS } from '../../src/programs.js';
import { ed25519Signer } from '../../src/signer.js';
import { type Supervised, supervise } from './supervised.js';
import { tableOf } from './tables.js';

const usdc = { symbol: 'USDC', name: 'USD Coin', address: 'devnet', decimals: 6, group: 'usd-coin' };
const fee = {
  ...{ symbol: 'FEE', name: 'Fee On Transfer', address: 'devnet', decimals: 6, group: 'fee-token' },
  program: 'token-2022',
} as const;
const own = {
  ...{ symbol: 'OWN', name: 'Their own', address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
  ...{ decimals: 9, group: 'own' },
};
const COIN = 10n ** 9n;
const TOKEN = 10n ** 6n;

function options(currencies: SvmChainOptions['currencies'] = [usdc, fee, own]): SvmOptions {
  const chain = (id: number, name: string, blockTimeMs?: number): SvmChainOptions => ({
    ...{ id, name, displayName: name, rpc: 'devnet', currencies },
    ...(blockTimeMs === undefined ? {} : { blockTimeMs }),
  });
  const remote = { id: 10, name: 'remote', displayName: 'Remote', rpc: [{ http: 'https://rpc.example.org' }] };
  return { chains: [chain(101, 'local-s', 100), remote, chain(102, 'local-t')] };
}

let home: string;
let nodes: Supervised;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'causeway-svm-devnet-'));
  nodes = await supervise(options(), home);
});
afterAll(async () => {
  await nodes?.stop();
  rmSync(home, { recursive: true, force: true });
});

function first() {
  const chain = nodes.result.chains[0];
  const user = nodes.result.accounts[0];
  if (chain === undefined || user === undefined) throw new Error('nothing was seeded');
  const token = (symbol: string) => chain.currencies.find((one) => one.symbol === symbol)?.address ?? '';
  const balance = (account: string, currency: string) => devnet.balance(chain.rpcUrl, account, currency);
  return { chain, user, url: chain.rpcUrl, vault: chain.contracts['depository'] ?? '', token, balance };
}

const solver = (role: string, at = home): string =>
  ed25519Signer(readFileSync(join(at, 'keys', `svm-${role}.key`), 'utf8')).address;

describe('the local chains of a build', () => {
  it('are those that ask for it, with two ports each', () => {
    expect(devnet.plan(options()).map(({ chainId, preferredPort, ports }) => [chainId, preferredPort, ports])).toEqual([
      [101, 8899, 2],
      [102, 8901, 2],
    ]);
  });

  it('resolve the options and leave the rest as it was', () => {
    const { chains } = nodes.result;
    const [a, remote, b] = (nodes.result.options as SvmOptions).chains;
    expect(remote).toEqual(options().chains[1]);
    for (const [n, chain] of [a, b].entries()) {
      const row = chains[n];
      const port = Number(new URL(row?.rpcUrl ?? '').port);
      expect(chain?.rpc).toEqual([{ http: row?.rpcUrl, ws: `ws://127.0.0.1:${port + 1}` }]);
      expect(chain?.signers).toEqual({
        fill: `file:${join(home, 'keys', 'svm-fill.key')}`,
        vault: `file:${join(home, 'keys', 'svm-vault.key')}`,
        sweeper: `file:${join(home, 'keys', 'svm-sweeper.key')}`,
        addresses: `file:${join(home, 'keys', 'svm-addresses.key')}`,
      });
      expect(row).toMatchObject({
        vmType: 'svm',
        contracts: { depository: solver('vault'), inventory: solver('fill') },
      });
      expect(row?.currencies.map(({ symbol, decimals }) => [symbol, decimals])).toEqual([
        ['SOL', 9],
        ['USDC', 6],
        ['FEE', 6],
        ['OWN', 9],
      ]);
      expect(chain?.currencies?.[2]?.address).toBe(own.address);
      expect(row?.currencies.map(({ address }) => address)).toEqual([
        NATIVE,
        ...(chain?.currencies ?? []).map(({ address }) => address),
      ]);
    }
    expect([a?.blockTimeMs, b?.blockTimeMs]).toEqual([100, 400]);
    expect(JSON.stringify(nodes.result.options)).not.toContain('"devnet"');
  });

  it('have keys of the solver that only their owner can read', () => {
    expect(statSync(join(home, 'keys')).mode & 0o777).toBe(0o700);
    for (const role of ['fill', 'vault', 'sweeper', 'addresses'])
      expect(statSync(join(home, 'keys', `svm-${role}.key`)).mode & 0o777).toBe(0o600);
    expect(solver('fill')).not.toBe(solver('vault'));
    const keys = nodes.result.accounts.map(({ address }) => address);
    expect(keys).not.toContain(solver('fill'));
    expect(keys).not.toContain(solver('vault'));
  });

  it('fund eight users and the fill signer, and open the vault', async () => {
    const { accounts } = nodes.result;
    expect(new Set(accounts.map(({ address }) => address)).size).toBe(8);
    for (const { rpcUrl, currencies } of nodes.result.chains) {
      const [, dollars, costly] = currencies.map(({ address }) => address) as [string, string, string];
      const held = (owner: string) =>
        Promise.all([NATIVE, dollars, costly].map((currency) => devnet.balance(rpcUrl, owner, currency)));
      for (const { address, privateKey } of accounts) {
        expect(ed25519Signer(privateKey).address).toBe(address);
        expect(await held(address)).toEqual([10_000n * COIN, 1_000_000n * TOKEN, 1_000_000n * TOKEN]);
      }
      expect(await held(solver('fill'))).toEqual([100_000n * COIN, 100_000_000n * TOKEN, 100_000_000n * TOKEN]);
      const rent = await rpc<number>(rpcUrl, 'getMinimumBalanceForRentExemption', [0]);
      expect(await held(solver('vault'))).toEqual([BigInt(rent), 0n, 0n]);
      expect(await held(solver('sweeper'))).toEqual([1_000n * COIN, 0n, 0n]);
      const opened = await rpc<{ value: readonly unknown[] }>(rpcUrl, 'getTokenAccountsByOwner', [
        solver('vault'),
        { programId: PROGRAMS.token2022 },
        { encoding: 'base64' },
      ]);
      expect(opened.value).toHaveLength(1);
    }
  });

  it('make the same mints on every chain, in the program that was asked for', async () => {
    const [a, b] = nodes.result.chains;
    expect(a?.currencies).toEqual(b?.currencies);
    const { url, token } = first();
    const ownerOf = async (mint: string) =>
      (await rpc<{ value: { owner: string } }>(url, 'getAccountInfo', [mint, { encoding: 'base64' }])).value.owner;
    expect(await ownerOf(token('USDC'))).toBe(PROGRAMS.token);
    expect(await ownerOf(token('FEE'))).toBe(PROGRAMS.token2022);
  });

  it('are seeded well within the start budget', () => {
    // Two chains in parallel; the slower one makes a slot in 400 ms, and finality takes 13 s.
    expect(nodes.seedMs).toBeLessThan(10_000);
    expect(nodes.seedCpuMs).toBeLessThan(2_000);
  });
});

describe('seeding again', () => {
  it('changes nothing, and says that the node was not new', async () => {
    expect(nodes.result.fresh).toBe(true);
    const { user, url, token } = first();
    const count = async () => (await rpc<readonly unknown[]>(url, 'getSignaturesForAddress', [token('USDC')])).length;
    const held = () =>
      Promise.all([NATIVE, token('USDC'), token('FEE')].map((one) => first().balance(user.address, one)));
    const before = [await count(), await held()];
    const again = await nodes.again(options());
    expect(again.fresh).toBe(false);
    expect({ ...again, fresh: true }).toEqual(nodes.result);
    expect([await count(), await held()]).toEqual(before);
  });

  it('makes a currency that was added, and keeps the rest', async () => {
    const added = { ...usdc, symbol: 'NEW', decimals: 9 };
    const again = await nodes.again(options([usdc, fee, added]));
    expect(again.fresh).toBe(false);
    const { user, balance, token } = first();
    const made = again.chains[0]?.currencies[3]?.address ?? '';
    expect(await balance(user.address, made)).toBe(1_000_000n * 10n ** 9n);
    expect(await balance(user.address, token('USDC'))).toBe(1_000_000n * TOKEN);
  });

  it('funds new keys of the solver, for which the chain is new', async () => {
    const other = mkdtempSync(join(tmpdir(), 'causeway-svm-keys-'));
    try {
      expect((await nodes.again(options(), other)).fresh).toBe(true);
      const { balance, token } = first();
      expect(solver('fill', other)).not.toBe(solver('fill'));
      expect(await balance(solver('fill', other), token('FEE'))).toBe(100_000_000n * TOKEN);
      expect(await balance(solver('fill', other), NATIVE)).toBe(100_000n * COIN);
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });
});

it('reports in one line what cannot be set up, and what to do', async () => {
  const { chain } = first();
  const signer = (role: string) => ed25519Signer(readFileSync(join(home, 'keys', `svm-${role}.key`), 'utf8'));
  const local = {
    ...{ id: chain.id, name: chain.name, displayName: 'S' },
    rpc: [{ http: chain.rpcUrl }],
    currencies: [own],
  };
  await expect(setUpSolver(local, { fill: signer('fill'), vault: signer('vault') })).rejects.toThrow(
    /^local-s could not be set up \(the fill signer's account for OWN .*\): start it again, which makes a new chain$/,
  );
});

describe('the wallet of the demo', () => {
  const id = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;
  const stepData = (currency: string, amount: bigint, n: number) => {
    const { chain, user, vault } = first();
    const target = {
      ...{ chainId: chain.id, vault, lookupTables: [] },
      arriving: (_: string, sent: bigint) => sent,
      tokenOf: (mint: string) => {
        const found = chain.currencies.find((one) => one.address === mint);
        const program = found?.symbol === 'FEE' ? PROGRAMS.token2022 : PROGRAMS.token;
        return found && { program, decimals: found.decimals, symbol: found.symbol };
      },
    };
    const [step] = depositSteps(target, { payer: user.address, currency, amount, orderId: id(n) });
    return JSON.parse(JSON.stringify(step?.items[0]?.data)) as Readonly<Record<string, unknown>>;
  };

  it('sends deposits in native coin and in tokens, confirmed when it answers', async () => {
    const { user, url, vault, token, balance } = first();
    const arrived = [
      [NATIVE, 5_000n],
      [token('USDC'), 5_000n],
      [token('FEE'), 4_950n],
    ] as const;
    for (const [n, [currency, expected]] of arrived.entries()) {
      const before = await balance(vault, currency);
      const signature = await devnet.sendStep(user, url, stepData(currency, 5_000n, n + 1));
      const { value } = await rpc<{ value: { confirmationStatus: string; err: unknown }[] }>(
        url,
        'getSignatureStatuses',
        [[signature]],
      );
      expect(value[0]).toMatchObject({ confirmationStatus: expect.stringMatching(/confirmed|finalized/), err: null });
      expect((await balance(vault, currency)) - before).toBe(expected);
      const [entry] = await rpc<{ signature: string; memo: string }[]>(url, 'getSignaturesForAddress', [
        user.address,
        { limit: 1, commitment: 'confirmed' },
      ]);
      expect(entry?.signature).toBe(signature);
      expect(entry?.memo).toContain(id(n + 1));
    }
  });

  it('takes the lookup tables that a step names', async () => {
    const { user, url, vault, balance } = first();
    const before = await balance(vault, NATIVE);
    const table = await tableOf(url, vault);
    await devnet.sendStep(user, url, { ...stepData(NATIVE, 1_000n, 20), addressLookupTableAddresses: [table] });
    expect((await balance(vault, NATIVE)) - before).toBe(1_000n);
    const missing = { ...stepData(NATIVE, 1_000n, 21), addressLookupTableAddresses: [solver('fill')] };
    await expect(devnet.sendStep(user, url, missing)).rejects.toThrow(/lookup table/);
  });

  it('says what is wrong with a step', async () => {
    const { user, url, token } = first();
    const good = stepData(NATIVE, 1_000n, 30);
    const [transfer] = good['instructions'] as Record<string, unknown>[];
    const wrong: readonly [Readonly<Record<string, unknown>>, RegExp][] = [
      [{}, /no instructions/],
      [{ ...good, instructions: [] }, /no instructions/],
      [{ ...good, instructions: [{ ...transfer, data: '0x12' }] }, /instruction 0 of the step: its data is no hex/],
      [{ ...good, instructions: [{ ...transfer, programId: '0xabc' }] }, /its program is 0xabc/],
      [{ ...good, instructions: [{ ...transfer, keys: undefined }] }, /no list of keys/],
      [{ ...good, addressLookupTableAddresses: ['nothing'] }, /lookup table of the step is nothing/],
      [stepData(NATIVE, 20_000n * COIN, 31), /insufficient lamports/],
      [stepData(token('USDC'), 2_000_000n * TOKEN, 32), /insufficient funds/],
    ];
    for (const [data, message] of wrong) await expect(devnet.sendStep(user, url, data)).rejects.toThrow(message);
    const keys = nodes.result.accounts[1];
    if (keys === undefined) throw new Error('two users');
    await expect(devnet.sendStep(keys, url, good)).rejects.toThrow(/sign/i);
  });

  it('reads nothing where nothing is', async () => {
    const { balance, token } = first();
    expect(await balance('CbKGgVKLJFb8bBrf58DnAkdryX6ubewVytn7X957YwNr', NATIVE)).toBe(0n);
    expect(await balance('CbKGgVKLJFb8bBrf58DnAkdryX6ubewVytn7X957YwNr', token('USDC'))).toBe(0n);
  });
});
