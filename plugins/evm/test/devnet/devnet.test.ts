import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Address, encodeFunctionData, type Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { artifacts, deployer, devnet } from '../../src/devnet/index.js';
import { rpc } from '../../src/devnet/rpc.js';
import type { EvmOptions } from '../../src/options.js';
import { type Supervised, supervise } from './supervised.js';

const NATIVE = '0x0000000000000000000000000000000000000000';
const usdc = { symbol: 'USDC', name: 'USD Coin', address: 'devnet', decimals: 6, group: 'usd-coin' };
const usdt = { symbol: 'USDT', name: 'Tether USD', address: 'devnet', decimals: 6, group: 'tether' };
const other = {
  symbol: 'OWN',
  name: 'Their own',
  address: '0x00000000000000000000000000000000000000aa',
  decimals: 9,
  group: 'own',
};

function options(currencies: readonly object[] = [usdc, usdt, other]) {
  const chain = (id: number, name: string) => ({ id, name, displayName: name, rpc: 'devnet', currencies });
  const remote = { id: 10, name: 'remote', displayName: 'Remote', rpc: [{ http: 'https://rpc.example.org' }] };
  return { chains: [chain(31337, 'local-a'), remote, chain(31338, 'local-b')] };
}

const solver = (home: string, role: string): Address =>
  privateKeyToAddress(readFileSync(join(home, 'keys', `${role}.key`), 'utf8').trim() as Hex);

describe('the local chains of a build', () => {
  let home: string;
  let running: Supervised | undefined;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'causeway-devnet-'));
  });
  afterEach(async () => {
    await running?.stop();
    rmSync(home, { recursive: true });
  });

  async function boot(with_: unknown = options()): Promise<Supervised> {
    await running?.stop();
    running = await supervise(with_, home);
    return running;
  }

  function first(supervised: Supervised) {
    const chain = supervised.result.chains[0];
    const user = supervised.result.accounts[0];
    if (chain === undefined || user === undefined) throw new Error('nothing was seeded');
    const balance = (account: string, currency: string) => devnet.balance(chain.rpcUrl, account, currency);
    return { chain, user, url: chain.rpcUrl, balance };
  }

  it('plans only the chains that ask for it', () => {
    expect(devnet.plan(options()).map(({ chainId, preferredPort }) => [chainId, preferredPort])).toEqual([
      [31337, 8545],
      [31338, 8546],
    ]);
  });

  it('resolves the options and leaves the rest as it was', async () => {
    const { result } = await boot();
    const resolved = result.options as EvmOptions;
    const [a, remote, b] = resolved.chains;
    expect(remote).toEqual(options().chains[1]);
    for (const [chain, row] of [
      [a, result.chains[0]],
      [b, result.chains[1]],
    ] as const) {
      expect(chain?.rpc).toEqual([{ http: row?.rpcUrl, ws: row?.rpcUrl.replace('http', 'ws') }]);
      expect(chain?.contracts).toEqual(row?.contracts);
      expect(chain?.signers).toEqual({
        fill: `file:${join(home, 'keys', 'fill.key')}`,
        allocator: `file:${join(home, 'keys', 'allocator.key')}`,
        sweeper: `file:${join(home, 'keys', 'sweeper.key')}`,
        executor: `file:${join(home, 'keys', 'executor.key')}`,
      });
      expect(row?.currencies.map(({ symbol, decimals }) => [symbol, decimals])).toEqual([
        ['ETH', 18],
        ['USDC', 6],
        ['USDT', 6],
        ['OWN', 9],
      ]);
      expect(chain?.currencies?.[2]?.address).toBe(other.address);
      const genesis = await rpc<{ hash: string }>(row?.rpcUrl ?? '', 'eth_getBlockByNumber', ['0x0', false]);
      expect(chain?.anchor).toEqual({ height: 0, hash: genesis.hash });
    }
    expect(a?.currencies?.[1]?.approveReset).toBe(true);
    expect(JSON.stringify(resolved)).not.toContain('"devnet"');
  });

  it('makes keys that only their owner can read', async () => {
    await boot();
    expect(statSync(join(home, 'keys')).mode & 0o777).toBe(0o700);
    for (const role of ['fill', 'allocator', 'sweeper', 'executor', 'order']) {
      expect(statSync(join(home, 'keys', `${role}.key`)).mode & 0o777).toBe(0o600);
    }
    expect(new Set(['fill', 'allocator', 'sweeper', 'executor', 'order'].map((role) => solver(home, role))).size).toBe(
      5,
    );
  });

  it('funds at least five users, never a solver key', async () => {
    const supervised = await boot();
    const { accounts } = supervised.result;
    const { chain, balance } = first(supervised);
    expect(accounts.length).toBeGreaterThanOrEqual(5);
    for (const account of accounts) {
      expect(privateKeyToAddress(account.privateKey as Hex)).toBe(account.address);
      for (const { address } of chain.currencies.slice(0, 3))
        expect(await balance(account.address, address)).toBeGreaterThan(0n);
    }
    const reserved = [deployer.address, solver(home, 'fill'), solver(home, 'allocator'), solver(home, 'order')];
    expect(accounts.filter((account) => reserved.includes(account.address as Address))).toEqual([]);
  });

  it('makes a block a second once it is seeded, and finalises', async () => {
    const { url } = first(await boot());
    const height = async (tag: string) =>
      Number((await rpc<{ number: string }>(url, 'eth_getBlockByNumber', [tag, false])).number);
    const before = await height('latest');
    await delay(2_300);
    const after = await height('latest');
    expect(after - before).toBeGreaterThanOrEqual(2);
    expect(after - before).toBeLessThanOrEqual(3);
    expect(await height('finalized')).toBeGreaterThanOrEqual(after - 3);
  });

  it('is up and seeded well within the start budget', async () => {
    expect((await boot()).tookMs).toBeLessThan(2_500);
  });

  it('sends the steps of a deposit and reports a revert', async () => {
    const supervised = await boot();
    const { chain, user, url, balance } = first(supervised);
    const token = chain.currencies[1]?.address as Address;
    const depository = chain.contracts.depository as Address;
    const approve = encodeFunctionData({
      abi: artifacts.testToken.abi,
      functionName: 'approve',
      args: [depository, 500n],
    });
    const deposit = encodeFunctionData({
      abi: artifacts.depository.abi,
      functionName: 'depositErc20',
      args: [NATIVE, token, 500n, `0x${'01'.repeat(32)}`],
    });
    const step = (to: Address, data: Hex) => ({ from: user.address, to, data, value: '0', chainId: chain.id });
    await devnet.sendStep(user, url, step(token, approve));
    const hash = await devnet.sendStep(user, url, step(depository, deposit));
    expect(await rpc(url, 'eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
    expect(await balance(depository, token)).toBe(500n);
    await expect(devnet.sendStep(user, url, { ...step(depository, deposit), gas: '100000' })).rejects.toThrow(/revert/);
    await expect(devnet.sendStep(user, url, { ...step(depository, deposit), chainId: 1 })).rejects.toThrow(/chain 1/);
  });

  describe('started again', () => {
    it('finds its chains, contracts and balances as they were', async () => {
      const before = await boot();
      expect(before.result.fresh).toBe(true);
      const { chain, user, url } = first(before);
      await devnet.sendStep(user, url, { to: deployer.address, value: '12345', chainId: chain.id });
      const accounts = [user.address, solver(home, 'fill')];
      const balances = () =>
        Promise.all(
          accounts.flatMap((account) =>
            chain.currencies.slice(0, 3).map(({ address }) => first(running!).balance(account, address)),
          ),
        );
      const was = await balances();

      const after = await boot();
      expect(after.result.fresh).toBe(false);
      expect(after.result.chains.map(({ contracts, currencies }) => ({ contracts, currencies }))).toEqual(
        before.result.chains.map(({ contracts, currencies }) => ({ contracts, currencies })),
      );
      expect(await balances()).toEqual(was);
      // A restored chain has only its newest state; final state must be readable at once.
      expect(await rpc(first(after).url, 'eth_getBalance', [user.address, 'finalized'])).toMatch(/^0x/);
    });

    it('deploys and funds a currency that was added, and keeps the rest', async () => {
      await boot(options([usdc]));
      const { result } = await boot(options([usdc, usdt]));
      expect(result.fresh).toBe(false);
      const { chain, user, balance } = first(running!);
      expect(await balance(user.address, chain.currencies[2]?.address ?? '')).toBe(1_000_000n * 10n ** 6n);
      expect(await balance(solver(home, 'fill'), chain.currencies[2]?.address ?? '')).toBe(100_000_000n * 10n ** 6n);
      expect(await balance(user.address, chain.currencies[1]?.address ?? '')).toBe(1_000_000n * 10n ** 6n);
    });

    it.each<[string, (stateDir: string) => void]>([
      [
        'made by other contract code',
        (stateDir) => {
          const path = join(stateDir, 'seed.json');
          writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), fingerprint: 'other' }));
        },
      ],
      ['half written', (stateDir) => truncateSync(join(stateDir, 'anvil.json'), 1000)],
      ['gone', (stateDir) => rmSync(join(stateDir, 'anvil.json'))],
      ['without its record', (stateDir) => rmSync(join(stateDir, 'seed.json'))],
    ])('starts a new chain when the state is %s, and says so', async (_, spoil) => {
      const before = first(await boot());
      const was = await rpc<{ hash: string }>(before.url, 'eth_getBlockByNumber', ['0x1', false]);
      await running?.stop();
      await delay(1_000);
      spoil(join(home, 'chain-31337'));
      const after = await boot();
      expect(after.result.fresh).toBe(true);
      const { url, chain, user, balance } = first(after);
      expect((await rpc<{ hash: string }>(url, 'eth_getBlockByNumber', ['0x1', false])).hash).not.toBe(was.hash);
      expect(await balance(user.address, chain.currencies[1]?.address ?? '')).toBe(1_000_000n * 10n ** 6n);
    });

    it('says so when the chain lost the block it was seeded at', async () => {
      await boot();
      await running?.stop();
      const path = join(home, 'chain-31338', 'seed.json');
      const record = JSON.parse(readFileSync(path, 'utf8'));
      writeFileSync(path, JSON.stringify({ ...record, anchor: { height: 100_000, hash: record.anchor.hash } }));
      expect((await boot()).result.fresh).toBe(true);
      expect((await boot()).result.fresh).toBe(false);
    });

    it('funds and allow-lists a new fill key', async () => {
      await boot();
      const former = solver(home, 'fill');
      rmSync(join(home, 'keys', 'fill.key'));
      const named = { ...usdt, address: first(running!).chain.currencies[2]?.address ?? '' };
      const { result } = await boot(options([usdc, named, other]));
      const { chain, url, balance } = first(running!);
      const fill = solver(home, 'fill');
      expect(fill).not.toBe(former);
      expect(result.fresh).toBe(true);
      expect(await balance(fill, NATIVE)).toBeGreaterThan(10n ** 18n);
      expect(await balance(fill, chain.currencies[1]?.address ?? '')).toBe(100_000_000n * 10n ** 6n);
      const data = encodeFunctionData({ abi: artifacts.fillRouter.abi, functionName: 'fillers', args: [fill] });
      expect(BigInt(await rpc<Hex>(url, 'eth_call', [{ to: chain.contracts.router, data }, 'latest']))).toBe(1n);
      // Also of a token that the options name by its address.
      const args = [fill, chain.contracts.router as Address] as const;
      const allowance = encodeFunctionData({ abi: artifacts.testToken.abi, functionName: 'allowance', args });
      for (const { address: to } of chain.currencies.slice(1, 3))
        expect(BigInt(await rpc<Hex>(url, 'eth_call', [{ to, data: allowance }, 'latest']))).toBe(2n ** 256n - 1n);
    });
  });
});
