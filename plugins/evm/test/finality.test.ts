import { type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { chainOptions, orderId, startAdapter, startWorld, type World } from './support/world.js';

let world: World;
let proxy: JsonRpcFaultProxy;
let adapter: EvmAdapter;

beforeAll(async () => {
  world = await startWorld(32);
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

/** Needs a final block: by depth 0 that is the head; by the tag, the first blocks are not past the deadline. */
const asks = () => adapter.unfilledForGood(orderId(1), 1);

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
