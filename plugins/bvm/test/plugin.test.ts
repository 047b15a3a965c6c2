import { type ChainAdapter, OptionError, type PluginContext } from '@causeway/core';
import { jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { optionsSchema, plugin } from '../src/index.js';
import { NETWORKS } from '../src/network.js';
import type { BvmChainOptions, BvmOptions, NetworkOptions } from '../src/options.js';
import { lacks } from './support/have-node.js';
import { type LocalNode, startNode, until, withCredentials } from './support/node.js';
import { services } from './support/services.js';
import { chainOptions } from './support/view.js';

const SECRETS: Readonly<Record<string, string>> = {
  'env:fill': '11'.repeat(32),
  'env:depository': '22'.repeat(32),
  'env:addresses': '33'.repeat(32),
};
const own = { fill: 'env:fill', depository: 'env:depository' };

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

function register(chains: readonly BvmChainOptions[], more: Partial<BvmOptions> = {}, network = 'local') {
  const added: ChainAdapter[] = [];
  const starts: (() => Promise<void>)[] = [];
  const options: BvmOptions = { signers: own, ...more, chains };
  const reported = services();
  const context = {
    ...{
      id: 'bvm',
      options,
      network,
      keys: { secret: (reference: string) => SECRETS[reference] ?? reference },
      ...reported,
    },
    chains: { add: (chain: ChainAdapter) => void added.push(chain) },
    lifecycle: {
      onStart: (task: () => Promise<void>) => void starts.push(task),
      onStop: (task: () => Promise<void>) => void running.push(task),
    },
  };
  plugin.register(context as unknown as PluginContext<BvmOptions>);
  return { adapters: added, reported, start: () => Promise.all(starts.map((task) => task())) };
}

const somewhere: BvmChainOptions = {
  ...{ id: 8253038, name: 'bitcoin', displayName: 'Bitcoin', network: 'bitcoin' },
  rpc: [{ http: 'http://127.0.0.1:1' }],
};

function problem(chains: readonly BvmChainOptions[], more?: Partial<BvmOptions>, network = 'mainnet') {
  try {
    register(chains, more, network);
  } catch (error) {
    if (error instanceof OptionError) return [error.optionPath, error.message];
    throw error;
  }
  return undefined;
}

describe('options', () => {
  const validate = new Ajv2020({ strict: false, useDefaults: true }).compile(optionsSchema);

  it('are as the schema says', () => {
    for (const chain of [
      somewhere,
      { ...somewhere, rpc: 'devnet' },
      {
        ...somewhere,
        rpc: [{ http: 'http://u:p@h', zmq: 'tcp://h:1' }],
        finality: { tiers: [{ belowUsd: 1, depth: 0 }] },
      },
      { ...somewhere, network: { base: 'bitcoin', name: 'other', genesis: 'ab'.repeat(32), dustRelayFee: '1' } },
    ])
      expect([validate({ chains: [chain] }), validate.errors]).toEqual([true, null]);
    for (const chain of [
      { ...somewhere, network: 'dogecoin' },
      { ...somewhere, rpc: [{ http: 'h' }] },
      { ...somewhere, rpc: [{ http: 'http://h', zmq: 'h' }] },
      { ...somewhere, network: { base: 'bitcoin', name: 'other' } },
      { ...somewhere, unknown: 1 },
    ])
      expect(validate({ chains: [chain] })).toBe(false);
  });

  it.each([
    ['a local chain', { rpc: 'devnet' }, 'rpc', 'causeway dev'],
    ['a chain of another kind of service', { network: 'bitcoin-regtest' }, 'network', 'mainnet service'],
    [
      ...['less depth for more', { finality: { tiers: tiers([1, 3], [2, 1]) } }, 'finality.tiers'],
      'less depth where a deposit is worth more',
    ],
    [
      'more depth than finality',
      { finality: { depth: 3, tiers: tiers([1, 4]) } },
      'finality.tiers',
      'more than finality',
    ],
    ['a quorum that cannot be', { quorum: { aboveUsd: 1, providers: 2 } }, 'quorum.providers', 'no deposit could ever'],
    ['rates in the wrong order', { fees: { minRate: 5, maxRate: 4 } }, 'fees.maxRate', 'below minRate'],
    [
      ...[
        'a known name with a base',
        { network: { base: 'bitcoin', name: 'litecoin', genesis: 'ab' } },
        'network.name',
      ],
      'without a base',
    ],
  ] as const)('refuse %s, and say where', (_, more, path, message) => {
    const [where, what] = problem([{ ...somewhere, ...(more as Partial<BvmChainOptions>) }]) ?? [];
    expect(where).toBe(`chains[0].${path}`);
    expect(what).toContain(message);
  });

  it('refuse keys that are missing, none, or the same', () => {
    expect(problem([somewhere], { signers: undefined as never })?.[0]).toBe('chains[0].signers');
    expect(problem([somewhere], { signers: { ...own, fill: 'nonsense' } })?.[0]).toBe('signers.fill');
    expect(problem([{ ...somewhere, signers: { ...own, depository: own.fill } }])?.[0]).toBe(
      'chains[0].signers.depository',
    );
  });

  it('derive deposit addresses where they have a secret for them', () => {
    const { depositAddresses } = register([somewhere], {}, 'mainnet').adapters[0]?.capabilities ?? {};
    expect(depositAddresses).toBeUndefined();
    const signers = { ...own, addresses: 'env:addresses' };
    const capability = register([somewhere], { signers }, 'mainnet').adapters[0]?.capabilities.depositAddresses;
    const address = capability?.derive(`0x${'ab'.repeat(32)}`) ?? '';
    const transfer = { payer: '', address, currency: NATIVE, amount: 5_000n };
    expect(capability?.steps(transfer)[0]?.items[0]?.data).toEqual({
      chainId: somewhere.id,
      to: address,
      value: '5000',
    });
    expect([capability?.sweeps, capability?.supersedes, capability?.watchesAll]).toEqual([undefined, true, true]);
    expect(problem([somewhere], { signers: { ...own, addresses: 'nonsense' } })?.[0]).toBe('signers.addresses');
  });

  it('refuse one key for two chains that begin alike, where each deposit would count twice', () => {
    const twin = { ...somewhere, id: 2, name: 'twin' };
    const [path, message] = problem([somewhere, twin]) ?? [];
    expect([path, message]).toEqual(['signers.fill', expect.stringContaining('chain 8253038')]);
    const base = { base: 'bitcoin', name: 'renamed', bech32: 'xx' } as const;
    const renamed = { ...base, genesis: NETWORKS.bitcoin.genesis } satisfies NetworkOptions;
    expect(problem([somewhere, { ...twin, network: renamed }])?.[0]).toBe('signers.fill');
    const swapped = { fill: own.depository, depository: own.fill };
    expect(problem([somewhere, { ...twin, signers: swapped }])?.[0]).toBe('chains[1].signers.fill');
    expect(problem([somewhere, { ...twin, network: 'litecoin' }])).toBeUndefined();
  });

  it('serve a network that is not known by name', () => {
    const custom: NetworkOptions = {
      ...{ base: 'litecoin', name: 'doge', genesis: 'ab'.repeat(32), bech32: 'dg', pubKeyHash: 30, scriptHash: 22 },
      ...{ wif: 158, taproot: false, coin: { symbol: 'DOGE', name: 'Doge', group: 'doge' }, blockTimeMs: 60_000 },
    };
    const { adapters } = register([{ ...somewhere, network: custom }], {}, 'mainnet');
    const [adapter] = adapters;
    expect(adapter?.facts.currency).toMatchObject({ symbol: 'DOGE', decimals: 8, address: NATIVE });
    expect(adapter?.facts.depository).toMatch(/^dg1q/);
    expect(adapter?.parseAddress('DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L').ok).toBe(true);
    expect(adapter?.parseAddress('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa').ok).toBe(false);
    expect(adapter?.facts.quoteValidityMs).toBe(180_000);
  });

  it('take the payer of previews on every network, and pay no one by that name', () => {
    const burn = '34xp4vRoCGJym3xR7yCVPFHoCNxv4Twseo';
    for (const network of ['bitcoin', 'litecoin'] as const) {
      const [adapter] = register([{ ...somewhere, network }], {}, 'mainnet').adapters;
      expect(adapter?.parseAddress(burn)).toEqual({ ok: true, value: burn });
      expect(adapter?.facts.burnAddresses).toContain(burn);
      expect(Buffer.from(adapter?.addressBytes(burn) ?? []).toString('hex')).toBe(
        'ff0523e522dfc6656a8fda3d47b4fa53f7585ac758cd',
      );
      expect(adapter?.parseAddress('3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy').ok).toBe(network === 'bitcoin');
    }
  });

  it('ask for more depth the more a deposit is worth', () => {
    const { adapters } = register(
      [{ ...somewhere, finality: { tiers: tiers([1_000, 0], [20_000, 2]) } }],
      {},
      'mainnet',
    );
    const usd = (dollars: number) => adapters[0]?.acceptDepth(BigInt(dollars * 1e6));
    expect([0, 999, 1_000, 19_999, 20_000, 1e9].map(usd)).toEqual([0, 0, 2, 2, 6, 6]);
  });
});

describe.skipIf(lacks('bitcoin') || lacks('litecoin'))('the start', () => {
  let bitcoin: LocalNode;
  let litecoin: LocalNode;
  beforeAll(async () => {
    [bitcoin, litecoin] = await Promise.all([startNode(), startNode('litecoin')]);
  });
  afterAll(async () => {
    await bitcoin?.stop();
    await litecoin?.stop();
  });

  const options = (node: LocalNode, more: Partial<BvmChainOptions> = {}) => chainOptions(node, more);

  it('serves two chains that config alone distinguishes', async () => {
    const chains = [options(bitcoin), options(litecoin, { id: 9_999, name: 'lite' })];
    const { adapters, start } = register(chains);
    const [one, two] = adapters;
    if (one === undefined || two === undefined) throw new Error('no chains');
    expect(one.status().healthy).toBe(false);
    for (const [adapter, node] of [
      [one, bitcoin],
      [two, litecoin],
    ] as const) {
      await node.fund(adapter.lanes[0]?.signer ?? '', 100_000_000n);
      await node.mine();
    }
    await start();
    await until('health', () => one.status().healthy && two.status().healthy);
    expect([one.facts.currency.symbol, two.facts.currency.symbol]).toEqual(['BTC', 'LTC']);
    expect([one.facts.depository.slice(0, 5), two.facts.depository.slice(0, 5)]).toEqual(['bcrt1', 'rltc1']);
    for (const adapter of [one, two]) {
      expect(await adapter.potBalance({ pot: 'lane', owner: adapter.lanes[0]?.signer ?? '' }, NATIVE)).toBe(
        100_000_000n,
      );
      expect(await adapter.potBalance({ pot: 'depository', owner: adapter.facts.depository }, NATIVE)).toBe(0n);
      expect(await adapter.userBalance(adapter.lanes[0]?.signer ?? '', NATIVE)).toBe(100_000_000n);
      const probes = (await adapter.probe?.(new AbortController().signal)) ?? [];
      expect(probes.filter(({ ok }) => !ok)).toEqual([]);
      expect(JSON.stringify(probes)).not.toContain('devnet:devnet');
    }
    expect(one.parseAddress(two.facts.depository).ok).toBe(false);
  });

  it('is refused by a node of another chain, and goes on without one that is down', async () => {
    const { start, adapters } = register([options(bitcoin, { rpc: [{ http: litecoin.url }] })]);
    await expect(start()).rejects.toThrow('serves the chain that begins with');
    const probes = (await adapters[0]?.probe?.(new AbortController().signal)) ?? [];
    expect(probes.some(({ ok, level }) => !ok && level === 'error')).toBe(true);
    const dead = register([options(bitcoin, { rpc: [{ http: 'http://127.0.0.1:1' }] })]);
    await dead.start();
    expect(dead.adapters[0]?.status()).toMatchObject({ healthy: false });
    const findings = (await dead.adapters[0]?.probe?.(new AbortController().signal)) ?? [];
    expect(findings.some(({ message }) => message.includes('none of its nodes'))).toBe(true);
  });

  it('distinguishes chains that share a first block', async () => {
    const hash = await bitcoin.rpc<string>('getblockhash', [5]);
    const right = register([options(bitcoin, { anchor: { height: 5, hash } })]);
    await right.start();
    const wrong = register([options(bitcoin, { anchor: { height: 5, hash: 'ab'.repeat(32) } })]);
    await expect(wrong.start()).rejects.toThrow('block 5');
    const early = register([options(bitcoin, { anchor: { height: 1_000_000, hash } })]);
    await early.start();
    expect(early.adapters[0]?.status().reason).toContain('not available yet');
  });

  it('uses no node that is still catching up, and says what is wrong with one', async () => {
    const proxy = await jsonRpcFaultProxy(bitcoin.url);
    running.push(() => proxy.close());
    let headers = 10_000;
    proxy.plan = ({ method }) => {
      if (method === 'getindexinfo') return { result: {} };
      if (method !== 'getblockchaininfo') return 'pass';
      return {
        rewrite: (reply) =>
          'result' in reply
            ? { result: { ...(reply.result as object), headers, pruned: true, pruneheight: 77 } }
            : reply,
      };
    };
    const rpc = [{ http: withCredentials(proxy.url), zmq: 'off' }];
    const { start, adapters } = register([options(bitcoin, { rpc, blockTimeMs: 1_000 })]);
    await start();
    expect(adapters[0]?.status().reason).toContain('catching up');
    headers = await bitcoin.height();
    await until('health', () => adapters[0]?.status().head !== null);
    const messages = ((await adapters[0]?.probe?.(new AbortController().signal)) ?? []).map(({ message }) => message);
    for (const part of ['below 77', 'txindex=1', 'does not publish', 'holds 1.'])
      expect(messages.some((message) => message.includes(part))).toBe(true);
    await until('health', () => adapters[0]?.status().healthy === true);
    headers += 10;
    await until('a node that falls behind', () => adapters[0]?.status().healthy === false, 45_000);
    expect(adapters[0]?.status().reason).toContain('catching up');
    headers -= 10;
    await until('health again', () => adapters[0]?.status().healthy === true, 45_000);
  }, 120_000);

  it('witnesses deposits with as many nodes as asked, and never against one', async () => {
    const proxy = await jsonRpcFaultProxy(bitcoin.url);
    running.push(() => proxy.close());
    const rpc = [{ http: bitcoin.url }, { http: withCredentials(proxy.url), zmq: 'off' }];
    const quorum = { aboveUsd: 100, providers: 2 };
    const { start, adapters } = register([options(bitcoin, { rpc, quorum })]);
    const [adapter] = adapters;
    if (adapter === undefined) throw new Error('no chain');
    await start();
    expect([adapter.quorum(99_000_000n), adapter.quorum(100_000_000n)]).toEqual([1, 2]);
    const stop = new AbortController();
    const batches = adapter.watchDeposits(undefined, stop.signal)[Symbol.asyncIterator]();
    await batches.next();
    const { txid } = await bitcoin.fund(adapter.facts.depository, 50_000n);
    await bitcoin.mine();
    let seen: Awaited<ReturnType<typeof adapter.watchDeposits>> extends AsyncIterable<infer B> ? B : never;
    let deposit: (typeof seen)['deposits'][number] | undefined;
    while (deposit === undefined) {
      const { value } = await batches.next();
      seen = value;
      deposit = seen.deposits.find((one) => one.transactionHash === txid && one.block !== null);
    }
    stop.abort();
    await batches.return?.();
    const { block } = deposit;
    if (block === null) throw new Error('no block');
    const sighting = { ...deposit, block, providers: 2 };
    expect(await adapter.witness([sighting])).toEqual([true]);
    expect(await adapter.witness([{ ...sighting, amount: 50_001n }])).toEqual([false]);
    // A contradiction outweighs a confirmation.
    proxy.plan = only('getblockhash', { result: 'ab'.repeat(32) });
    expect(await adapter.witness([{ ...sighting, providers: 1 }])).toEqual([false]);
    // No response is no evidence.
    proxy.plan = only(['getblockhash', 'getrawtransaction'], 'dropBefore');
    expect(await adapter.witness([{ ...sighting, providers: 1 }])).toEqual([true]);
    proxy.plan = () => 'pass';
    await bitcoin.rpc('invalidateblock', [block.id]);
    expect(await adapter.witness([{ ...sighting, providers: 1 }])).toEqual([false]);
    await bitcoin.rpc('reconsiderblock', [block.id]);
  });
});

function tiers(...list: readonly (readonly [number, number])[]): { belowUsd: number; depth: number }[] {
  return list.map(([belowUsd, depth]) => ({ belowUsd, depth }));
}
