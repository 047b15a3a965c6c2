import { type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { depositNative } from './support/wallet.js';
import { chainOptions, eventually, Follower, orderId, startAdapter, startWorld, type World } from './support/world.js';

let world: World;
let proxy: JsonRpcFaultProxy;
let stopMining = (): void => undefined;

beforeAll(async () => {
  world = await startWorld();
  const timer = setInterval(() => void world.anvil.mine(), 200);
  stopMining = () => clearInterval(timer);
});
beforeEach(async () => {
  proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
});
afterEach(() => proxy.close());
afterAll(async () => {
  stopMining();
  await world.anvil.stop();
});

const deposit = (n: number) => {
  const { anvil, deployed } = world;
  return depositNative(anvil, deployed, deployed.users[0] ?? expect.fail('no user'), 1000n, orderId(n));
};

it.each([
  [1, 'finalized block not found'],
  [2, 'TAG finalized not supported'],
  [3, 'Error in JSON-RPC Service'],
  [4, 'not available'],
])(
  'deposits are read by depth where a provider never has the tag of final blocks (%i: %s)',
  async (n, message) => {
    proxy.plan = ({ params }) => (params[0] === 'finalized' ? { error: { code: -32000, message } } : 'pass');
    const { adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }], finality: { depth: 4 } }));
    const follower = new Follower(adapter);
    try {
      await follower.next();
      await deposit(n);
      const { head, finalized } = (await follower.until(({ deposits }) => deposits.length > 0)).at(-1) ?? expect.fail();
      expect(finalized.height).toBe(head.height - 4);
    } finally {
      await follower.stop();
      await adapter.stop();
    }
  },
  15_000,
);

const rangeOf = (params: readonly unknown[]) => {
  const { fromBlock, toBlock } = (params[0] ?? {}) as { readonly fromBlock?: string; readonly toBlock?: string };
  return { fromBlock, toBlock };
};

it('a log range that is refused as if by a throttle is narrowed', async () => {
  proxy.plan = ({ method, params }) => {
    const { fromBlock, toBlock } = rangeOf(params);
    const isWide = fromBlock !== undefined && Number(toBlock) - Number(fromBlock) >= 2;
    return method === 'eth_getLogs' && isWide ? { error: { code: -32005, message: 'Limit Exceeded' } } : 'pass';
  };
  const { adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }] }));
  const before = new Follower(adapter);
  const { cursor } = await before.next();
  await before.stop();
  await deposit(5);
  await world.anvil.mine(40);
  const follower = new Follower(adapter, cursor);
  try {
    await follower.until(({ deposits }) => deposits.length > 0);
    await follower.until(({ readTo }) => readTo === undefined);
    // Events of the contract and transfers of tokens are asked for side by side.
    const ranges = proxy.faulted().map(({ params }) => JSON.stringify(rangeOf(params)));
    expect(new Set(ranges).size).toBeLessThan(10);
  } finally {
    await follower.stop();
    await adapter.stop();
  }
}, 15_000);

it('a provider that answered the tag and refuses it now makes no block final, and the chain says who refuses, and how', async () => {
  const { adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }] }));
  const follower = new Follower(adapter);
  try {
    await follower.next();
    proxy.plan = ({ params }) => (params[0] === 'finalized' ? { error: { code: -32000, message: 'a pox' } } : 'pass');
    void follower.until(() => false).catch(() => undefined);
    const { reason } = await eventually(
      async () => adapter.status(),
      ({ healthy }) => !healthy,
      14_000,
    );
    expect(reason).toMatch(/^deposits cannot be read: provider 1 \(127\.0\.0\.1:\d+\): a pox$/);
    proxy.heal();
    await eventually(
      async () => adapter.status().healthy,
      (healthy) => healthy,
    );
  } finally {
    await adapter.stop();
  }
}, 25_000);

it('another provider is asked where the first one refuses one method, in whatever words', async () => {
  proxy.plan = ({ method }) => (method === 'eth_getLogs' ? { error: { code: -32000, message: 'a pox' } } : 'pass');
  const rpc = [{ http: proxy.url }, { http: world.anvil.rpcUrl }];
  const { adapter } = await startAdapter(chainOptions(world, { rpc }));
  const follower = new Follower(adapter);
  try {
    await follower.next();
    await deposit(6);
    await follower.until(({ deposits }) => deposits.length > 0);
    expect(adapter.status()).toMatchObject({ healthy: true });
  } finally {
    await follower.stop();
    await adapter.stop();
  }
}, 15_000);
