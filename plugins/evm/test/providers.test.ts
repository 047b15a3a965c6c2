import { OptionError } from '@causeway/core';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Anvil, startAnvil } from '../src/devnet/index.js';
import { depositNative } from './support/wallet.js';
import {
  chainOptions,
  eventually,
  Follower,
  makeAdapter,
  startAdapter,
  startWorld,
  type World,
} from './support/world.js';

describe('RPC providers', () => {
  let world: World;
  let stranger: Anvil;
  let proxy: JsonRpcFaultProxy;

  beforeAll(async () => {
    world = await startWorld();
    stranger = await startAnvil({ chainId: 31999 });
    proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
  });
  afterEach(() => {
    proxy.plan = () => 'pass';
  });
  afterAll(async () => {
    await proxy.close();
    await stranger.stop();
    await world.anvil.stop();
  });

  const secretly = (url: string) => url.replace('http://', 'http://user:s3cret@');

  it('refuses to start with a provider of another chain, naming it without its credentials', async () => {
    const { adapter, log } = makeAdapter(
      chainOptions(world, { rpc: [{ http: world.anvil.rpcUrl }, { http: secretly(stranger.rpcUrl) }] }),
    );
    const error = await adapter.start().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OptionError);
    expect(error).toMatchObject({
      optionPath: 'chains[0].rpc[1]',
      message: expect.stringContaining('serves chain 31999 instead of 31337'),
    });
    expect(String(error)).toContain(`127.0.0.1:${stranger.port}`);
    expect(JSON.stringify([String(error), log.lines])).not.toContain('s3cret');
    await adapter.stop();
  });

  it('refuses a provider whose anchor block is another', async () => {
    const anchor = { height: 0, hash: `0x${'12'.repeat(32)}` };
    const { adapter } = makeAdapter(chainOptions(world, { anchor }));
    await expect(adapter.start()).rejects.toThrow('block 0');
    await adapter.stop();
  });

  it('refuses contracts that are not there', async () => {
    const contracts = { depository: `0x${'1'.repeat(40)}`, router: world.deployed.router };
    const { adapter } = makeAdapter(chainOptions(world, { contracts }));
    const error = await adapter.start().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ optionPath: 'chains[0].contracts.depository' });
    await adapter.stop();
  });

  it('starts degraded with a dead provider and recovers by itself', async () => {
    proxy.plan = () => 'dropBefore';
    const { adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }] }));
    expect(adapter.status()).toMatchObject({ healthy: false, reason: expect.stringContaining('provider 1') });
    expect(adapter.legCost('fill', adapter.facts.currency.address)).toBeUndefined();
    proxy.plan = () => 'pass';
    await eventually(
      async () => adapter.status(),
      ({ healthy }) => healthy,
    );
    await eventually(
      async () => adapter.legCost('fill', adapter.facts.currency.address),
      (cost) => cost !== undefined,
    );
    await adapter.stop();
  });

  it('fails over while watching and misses nothing', async () => {
    const rpc = [{ http: proxy.url }, { http: world.anvil.rpcUrl, ws: world.anvil.wsUrl }];
    const { adapter } = await startAdapter(chainOptions(world, { rpc }));
    const follower = new Follower(adapter);
    const { head } = await follower.next();
    proxy.plan = () => ({ status: 502 });
    await world.anvil.mine(2);
    const batches = await follower.until((batch) => batch.head.height === head.height + 2);
    expect(batches.every(({ rewoundTo }) => rewoundTo === undefined)).toBe(true);
    expect(adapter.providers.active()?.index).toBe(1);
    proxy.plan = () => 'pass';
    await eventually(
      async () => adapter.providers.active()?.index,
      (index) => index === 0,
    );
    await follower.stop();
    await adapter.stop();
  });

  it('never rewinds because a provider lags', async () => {
    const rpc = [{ http: proxy.url }, { http: world.anvil.rpcUrl }];
    const { adapter } = await startAdapter(chainOptions(world, { rpc, watch: { pollMs: 50 } }));
    const follower = new Follower(adapter);
    const { head } = await follower.next();
    const old = await world.anvil.rpc('eth_getBlockByNumber', ['latest', false]);
    await world.anvil.mine(3);
    await follower.until((batch) => batch.head.height === head.height + 3);
    // A backend three blocks behind answers for the same provider.
    proxy.plan = ({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { result: old } : 'pass';
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(adapter.status().head?.value).toBe(head.height);
    proxy.plan = () => 'pass';
    await world.anvil.mine();
    const batches = await follower.until((batch) => batch.head.height === head.height + 4);
    expect(batches.some(({ rewoundTo }) => rewoundTo !== undefined)).toBe(false);
    await follower.stop();
    await adapter.stop();
  });

  it('do not report where a lane stands while all who answer lag', async () => {
    const { adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }], watch: { pollMs: 50 } }));
    const signer = adapter.lanes[0]?.signer ?? expect.fail('no lane');
    const stale = {
      head: await world.anvil.rpc('eth_blockNumber', []),
      known: await adapter.keys.lanePosition(signer),
    };
    await world.anvil.mine(3);
    await eventually(
      async () => adapter.status().head?.value,
      (height) => height === Number(stale.head) + 3,
    );
    // A backend three blocks behind answers for the same provider.
    proxy.plan = ({ method }) => (method === 'eth_blockNumber' ? { result: stale.head } : 'pass');
    await expect(adapter.keys.lanePosition(signer)).rejects.toThrow('no provider that has block');
    proxy.plan = () => 'pass';
    expect(await adapter.keys.lanePosition(signer)).toBe(stale.known);
    await adapter.stop();
  });

  it('report where a lane stands although each answer takes longer than a block', async () => {
    const { adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }], watch: { pollMs: 20 } }));
    const signer = adapter.lanes[0]?.signer ?? expect.fail('no lane');
    const known = await adapter.keys.lanePosition(signer);
    const before = adapter.status().head?.value ?? 0;
    let mined: Promise<unknown> | undefined;
    proxy.plan = ({ method }) => {
      if (method !== 'eth_getTransactionCount') return 'pass';
      mined ??= world.anvil.mine();
      return { delayMs: 400 };
    };
    expect(await adapter.keys.lanePosition(signer)).toBe(known);
    await mined;
    expect(adapter.status().head?.value).toBe(before + 1);
    proxy.plan = () => 'pass';
    await adapter.stop();
  });

  it('waits for logs that a node does not show yet', async () => {
    const rpc = [{ http: proxy.url, ws: world.anvil.wsUrl }];
    const { adapter } = await startAdapter(chainOptions(world, { rpc }));
    const follower = new Follower(adapter);
    await follower.next();
    let refusals = 2;
    proxy.plan = ({ method }) =>
      method === 'eth_getLogs' && refusals-- > 0 ? { error: { code: -32000, message: 'unknown block' } } : 'pass';
    const user = world.deployed.users[0] ?? expect.fail('no user');
    const hash = await depositNative(world.anvil, world.deployed, user, 3n, `0x${'ab'.repeat(32)}`);
    const batches = await follower.until(({ deposits }) => deposits.length > 0);
    expect(batches.at(-1)?.deposits[0]?.transactionHash).toBe(hash);
    await follower.stop();
    await adapter.stop();
  });

  it('asks again when the bloom filter speaks of a deposit and the logs do not', async () => {
    const { adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url, ws: world.anvil.wsUrl }] }));
    const follower = new Follower(adapter);
    await follower.next();
    let empty = 2;
    proxy.plan = ({ method }) => (method === 'eth_getLogs' && empty-- > 0 ? { result: [] } : 'pass');
    const user = world.deployed.users[0] ?? expect.fail('no user');
    await depositNative(world.anvil, world.deployed, user, 4n, `0x${'ac'.repeat(32)}`);
    const batches = await follower.until(({ deposits }) => deposits.length > 0);
    expect(batches.at(-1)?.deposits[0]?.amount).toBe(4n);
    await follower.stop();
    await adapter.stop();
  });

  it('finds at finality what a log index was late with', async () => {
    const { adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url, ws: world.anvil.wsUrl }] }));
    const follower = new Follower(adapter);
    await follower.next();
    proxy.plan = ({ method }) => (method === 'eth_getLogs' ? { result: [] } : 'pass');
    const user = world.deployed.users[0] ?? expect.fail('no user');
    const hash = await depositNative(world.anvil, world.deployed, user, 5n, `0x${'ad'.repeat(32)}`);
    const passed = await world.anvil.height();
    const missed = await follower.until(({ head }) => head.height >= passed);
    expect(missed.flatMap(({ deposits }) => deposits)).toEqual([]);
    proxy.plan = () => 'pass';
    await world.anvil.mine(80);
    const batches = await follower.until(({ deposits }) => deposits.length > 0);
    expect(batches.at(-1)?.deposits).toMatchObject([{ transactionHash: hash, amount: 5n, state: 'final' }]);
    await follower.stop();
    await adapter.stop();
  });

  it('takes nothing at finality from a provider that is on another fork', async () => {
    const { anvil, deployed } = world;
    const follow = await startAdapter(chainOptions(world, { rpc: [{ http: anvil.rpcUrl }, { http: proxy.url }] }));
    const follower = new Follower(follow.adapter);
    await follower.next();
    const user = deployed.users[0] ?? expect.fail('no user');
    const transactionHash = await depositNative(anvil, deployed, user, 6n, `0x${'ae'.repeat(32)}`);
    const height = await anvil.height();
    const range = { fromBlock: `0x${height.toString(16)}`, toBlock: `0x${height.toString(16)}` };
    const logs = await anvil.rpc<readonly object[]>('eth_getLogs', [{ ...range, address: deployed.depository }]);
    const block = await anvil.rpc<object>('eth_getBlockByNumber', [range.toBlock, false]);
    const forked = (number: unknown) => `0x${'f'.repeat(56)}${Number(number).toString(16).padStart(8, '0')}`;
    const orphans = logs.map((log) => ({ ...log, blockHash: forked(height), transactionHash: `0x${'ba'.repeat(32)}` }));
    proxy.plan = ({ method, params: [first] }) => {
      const numbered = String(first).startsWith('0x');
      if (method === 'eth_getBlockByNumber' && numbered)
        return { result: { ...block, number: first, hash: forked(first), parentHash: forked(Number(first) - 1) } };
      return method === 'eth_getLogs' ? { result: orphans } : 'pass';
    };
    await anvil.mine(80);
    const before = proxy.calls.length;
    const batches = await follower.until(() =>
      proxy.calls.slice(before).some(({ method }) => method === 'eth_getLogs'),
    );
    await anvil.mine(1);
    batches.push(...(await follower.until(({ head }) => head.height >= height + 81)));
    const reported = batches.flatMap(({ deposits }) => deposits);
    expect(reported.every((deposit) => deposit.transactionHash === transactionHash)).toBe(true);
    await follower.stop();
    await follow.adapter.stop();
  });

  it('probes for doctor without starting', async () => {
    const rpc = [{ http: world.anvil.rpcUrl }, { http: stranger.rpcUrl }, { http: 'http://127.0.0.1:9' }];
    const { adapter } = makeAdapter(chainOptions(world, { rpc }));
    const results = await adapter.probe(AbortSignal.timeout(5000));
    const by = (path: string) => results.find(({ optionPath }) => optionPath === path);
    expect(by('chains[0].rpc[0]')).toMatchObject({ ok: true });
    expect(by('chains[0].rpc[1]')).toMatchObject({ ok: false, level: 'error' });
    expect(by('chains[0].rpc[2]')).toMatchObject({ ok: false, level: 'warning' });
    expect(results.find(({ name }) => name === 'test: contracts')).toMatchObject({ ok: true });
    expect(results.find(({ name }) => name === 'test: gas')).toMatchObject({ ok: true });
  });
});
