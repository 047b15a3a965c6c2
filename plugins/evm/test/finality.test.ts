import { type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { chainOptions, orderId, startAdapter, startWorld, type World } from './support/world.js';

let world: World;
let proxy: JsonRpcFaultProxy;
let adapter: EvmAdapter;
/** Seconds. By the tag the first block is final, which is not past it; by depth 0 the head is. */
let deadline: number;

beforeAll(async () => {
  world = await startWorld(32);
  const first = await world.anvil.rpc<{ readonly timestamp: string }>('eth_getBlockByNumber', ['0x0', false]);
  deadline = Number(first.timestamp);
  // On a fast machine all blocks so far are of one second.
  await world.anvil.rpc('evm_increaseTime', [10]);
  await world.anvil.mine();
});
beforeEach(async () => {
  proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
  const options = chainOptions(world, { rpc: [{ http: proxy.url }], finality: { depth: 0 } });
  ({ adapter } = await startAdapter(options));
});
afterEach(async () => {
  await adapter.stop();
  await proxy.close();
});
afterAll(() => world.anvil.stop());

function refuses(code: number, message: string): void {
  proxy.plan = ({ params }) => (params[0] === 'finalized' ? { error: { code, message } } : 'pass');
}

const asks = (of = adapter) => of.unfilledForGood(orderId(1), deadline);

it.each([
  [-32602, 'invalid argument 0: hex string without 0x prefix'],
  [-32000, 'unsupported block tag: finalized'],
  [-32601, 'the method does not exist'],
])('goes by depth where a node refuses the tag (%i %s)', async (code, message) => {
  refuses(code, message);
  expect(await asks()).toBe(true);
});

it.each([
  [-32603, 'internal error'],
  [-32000, 'header not found'],
  [-32000, 'request timed out'],
])('takes no block for final because a node fails otherwise (%i %s)', async (code, message) => {
  refuses(code, message);
  await expect(asks()).rejects.toThrow(message);
});

const noBlock = ({ params }: { readonly params: readonly unknown[] }) =>
  params[0] === 'finalized' ? ({ result: null } as const) : ('pass' as const);

it.each<[string, () => void]>([
  ['answers null', () => (proxy.plan = noBlock)],
  ['refuses the tag', () => refuses(-32602, 'invalid argument 0: hex string without 0x prefix')],
])('takes no block for final by depth where a node that had the tag %s', async (_, fails) => {
  expect(await asks()).toBe(false);
  fails();
  for (let n = 0; n < 4; n += 1) {
    await expect(asks()).rejects.toThrow(/names no finalized block|hex string/);
    await world.anvil.mine();
  }
});

it('asks the next provider where one that had the tag answers null', async () => {
  const rpc = [{ http: proxy.url }, { http: world.anvil.rpcUrl }];
  const two = await startAdapter(chainOptions(world, { rpc, finality: { depth: 0 } }));
  try {
    expect(await asks(two.adapter)).toBe(false);
    proxy.plan = noBlock;
    expect(await asks(two.adapter)).toBe(false);
    expect(proxy.faulted()).not.toEqual([]);
  } finally {
    await two.adapter.stop();
  }
});

it('goes by depth where a node names no block at three heads', async () => {
  proxy.plan = noBlock;
  await expect(asks()).rejects.toThrow('it names no finalized block');
  for (let n = 0; n < 2; n += 1) {
    await world.anvil.mine();
    await asks().catch(() => undefined);
  }
  expect(await asks()).toBe(true);
});
