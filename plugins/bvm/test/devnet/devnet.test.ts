import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressKeys } from '../../src/address-keys.js';
import { NATIVE } from '../../src/addresses.js';
import { chainConfig } from '../../src/chain-config.js';
import { devnet } from '../../src/devnet/index.js';
import { rpc } from '../../src/devnet/rpc.js';
import { BvmAdapter } from '../../src/index.js';
import { NETWORKS } from '../../src/network.js';
import type { BvmChainOptions, BvmOptions } from '../../src/options.js';
import { outputSigner } from '../../src/signer.js';
import { lacks } from '../support/have-node.js';
import { until } from '../support/node.js';
import { services } from '../support/services.js';
import { type Supervised, supervise } from './supervised.js';

const COIN = 10n ** 8n;
const remote: BvmChainOptions = {
  ...{ id: 10, name: 'remote', displayName: 'Remote', network: 'bitcoin' },
  rpc: [{ http: 'https://rpc.example.org' }],
};

function options(): BvmOptions {
  const local = { displayName: 'Local', rpc: 'devnet' } as const;
  return {
    chains: [
      { ...local, id: 101, name: 'local-b', network: 'bitcoin-regtest', blockTimeMs: 500, finality: { depth: 2 } },
      remote,
      { ...local, id: 102, name: 'local-l', network: 'litecoin-regtest' },
    ],
  };
}

describe.skipIf(lacks('bitcoin') || lacks('litecoin'))('the local chains of a build', () => {
  let home: string;
  let nodes: Supervised;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'causeway-bvm-devnet-'));
    nodes = await supervise(options(), home);
  });
  afterAll(async () => {
    await nodes?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const key = (role: string): string => readFileSync(join(home, 'keys', `bvm-${role}.key`), 'utf8');
  const solver = (role: string, network: keyof typeof NETWORKS): string =>
    outputSigner(key(role), 'p2wpkh', NETWORKS[network]).address;
  const one = () => {
    const [chain, lite] = nodes.result.chains;
    const [user] = nodes.result.accounts;
    if (chain === undefined || lite === undefined || user === undefined) throw new Error('nothing was seeded');
    return { chain, lite, user };
  };

  it('are those that ask for it, with three ports each', () => {
    expect(devnet.unavailable?.()).toBeUndefined();
    const plans = devnet.plan(options());
    expect(plans.map(({ chainId, ports }) => [chainId, ports])).toEqual([
      [101, 3],
      [102, 3],
    ]);
    const elsewhere = { chains: [{ ...options().chains[0], network: 'bitcoin' }] };
    expect(() => devnet.plan(elsewhere)).toThrow('bitcoin-regtest');
  });

  it('resolve the options and leave the rest as it was', () => {
    const { options: resolved, fresh } = nodes.result;
    const [a, other, b] = (resolved as BvmOptions).chains;
    expect([other, fresh]).toEqual([remote, true]);
    const { chain, lite } = one();
    const port = Number(new URL(chain.rpcUrl).port);
    expect(a?.rpc).toEqual([{ http: chain.rpcUrl, zmq: `tcp://127.0.0.1:${port + 1}` }]);
    expect(b?.rpc).toEqual([{ http: lite.rpcUrl }]);
    expect(a?.payers).toEqual({ esplora: [`http://127.0.0.1:${port + 2}`] });
    expect([a?.blockTimeMs, b?.blockTimeMs]).toEqual([500, 2_000]);
    expect(chain).toMatchObject({
      ...{ vmType: 'bvm', currencies: [{ symbol: 'BTC', address: NATIVE, decimals: 8 }] },
      contracts: {
        depository: solver('depository', 'bitcoin-regtest'),
        inventory: solver('fill', 'bitcoin-regtest'),
      },
    });
    expect(lite.contracts['depository']).toBe(solver('depository', 'litecoin-regtest'));
    expect(JSON.stringify(resolved)).not.toContain('"devnet"');
    for (const chain_ of [a, b]) expect(() => chainConfig(chain_ as BvmChainOptions, 'local', 0)).not.toThrow();
  });

  it('have keys of the solver that only their owner can read', () => {
    expect(statSync(join(home, 'keys')).mode & 0o777).toBe(0o700);
    for (const role of ['fill', 'depository', 'addresses'])
      expect(statSync(join(home, 'keys', `bvm-${role}.key`)).mode & 0o777).toBe(0o600);
    expect(key('fill')).not.toBe(key('depository'));
  });

  it('fund eight users of each and the lane', async () => {
    const { accounts, chains } = nodes.result;
    expect(accounts.length).toBe(16);
    for (const chain of chains) {
      const prefix = chain.id === 101 ? 'bcrt1' : 'rltc1';
      const here = accounts.filter(({ chainId }) => chainId === chain.id);
      expect(here.map(({ address }) => address.slice(0, 5))).toEqual(Array.from({ length: 8 }, () => prefix));
      for (const { address } of here) expect(await devnet.balance(chain.rpcUrl, address, NATIVE)).toBe(10n * COIN);
      expect(await devnet.balance(chain.rpcUrl, chain.contracts['inventory'] ?? '', NATIVE)).toBe(100n * COIN);
    }
  });

  it('make blocks by the clock', async () => {
    const { chain } = one();
    const height = await rpc<number>(chain.rpcUrl, 'getblockcount');
    await until('two blocks', async () => (await rpc<number>(chain.rpcUrl, 'getblockcount')) >= height + 2);
  });

  it('take deposits that a wallet signs as it got them', async () => {
    const { chain, user } = one();
    const [config] = (nodes.result.options as BvmOptions).chains;
    const signer = (role: string) => outputSigner(key(role), 'p2wpkh', NETWORKS['bitcoin-regtest']);
    const addresses = addressKeys(key('addresses'), 101, 'p2wpkh', NETWORKS['bitcoin-regtest']);
    const signers = { fill: signer('fill'), depository: signer('depository'), addresses };
    const adapter = new BvmAdapter(chainConfig(config as BvmChainOptions, 'local', 0), signers, services());
    await adapter.start();
    try {
      const { payerUtxos } = adapter.capabilities;
      if (!payerUtxos) throw new Error('payers cannot be looked up');
      const amount = 1_234_567n;
      const orderId = `0x${'cd'.repeat(32)}` as const;
      const found = await payerUtxos({ payer: user.address, amount, publicKey: null });
      if (!found.ok) throw new Error(found.message);
      const step = { payer: user.address, currency: NATIVE, amount, orderId, funds: found.funds };
      const [deposit] = adapter.depositSteps(step);
      const stop = new AbortController();
      const states: string[] = [];
      const watching = (async () => {
        for await (const { deposits } of adapter.watchDeposits(undefined, stop.signal))
          states.push(...deposits.filter((seen) => seen.orderId === orderId).map(({ state }) => state));
      })();
      await until('the chain', () => adapter.view.pool.provider !== undefined);
      const before = await devnet.balance(chain.rpcUrl, adapter.facts.depository, NATIVE);
      const txid = await devnet.sendStep(user, chain.rpcUrl, deposit?.items[0]?.data ?? {});
      expect(txid).toMatch(/^[0-9a-f]{64}$/);
      expect(await devnet.balance(chain.rpcUrl, adapter.facts.depository, NATIVE)).toBe(before + amount);
      await until('the deposit', () => states.includes('included'));
      const { depositAddresses } = adapter.capabilities;
      const address = depositAddresses?.derive(orderId) ?? '';
      const [plain] = depositAddresses?.steps({ payer: user.address, address, currency: NATIVE, amount }) ?? [];
      await devnet.sendStep(user, chain.rpcUrl, plain?.items[0]?.data ?? {});
      expect(await devnet.balance(chain.rpcUrl, address, NATIVE)).toBe(amount);
      stop.abort();
      await watching;
    } finally {
      await adapter.stop();
    }
  });

  it('refuse what is no deposit', async () => {
    const { chain, user } = one();
    await expect(devnet.sendStep(user, chain.rpcUrl, {})).rejects.toThrow('no psbt');
  });

  it('are set up once: the same nodes again, and after a restart', async () => {
    expect((await nodes.again(options())).fresh).toBe(false);
    const { user } = one();
    const held = await devnet.balance(one().chain.rpcUrl, user.address, NATIVE);
    await nodes.stop();
    nodes = await supervise(options(), home);
    expect(nodes.result.fresh).toBe(false);
    expect(await devnet.balance(one().chain.rpcUrl, user.address, NATIVE)).toBe(held);
    rmSync(join(home, 'keys'), { recursive: true });
    expect((await nodes.again(options())).fresh).toBe(true);
  }, 60_000);
});
