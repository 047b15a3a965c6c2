import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { NotYetError, TooMuchToDescribeError } from '../../src/contract/index.js';
import { Providers } from '../../src/rpc/index.js';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy, realClock } from '../../src/testing/index.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const services = {
  ...{ clock: realClock, log: log as never, alerts: { raise: quiet, clear: quiet } as never },
  metrics: { count: quiet, observe: quiet, gauge: quiet } as never,
};

async function node(): Promise<JsonRpcFaultProxy> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const calls: { readonly id: number }[] = [JSON.parse(Buffer.concat(parts).toString())].flat();
      const replies = calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: 'described' }));
      response.end(JSON.stringify(replies.length === 1 ? replies[0] : replies));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  const proxy = await jsonRpcFaultProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  cleanups.push(() => proxy.close());
  return proxy;
}

async function ground(nodes: number) {
  const proxies = await Promise.all(Array.from({ length: nodes }, node));
  const endpoints = proxies.map(({ url }) => ({ http: url }));
  const identify = async () => ({ is: 'right' as const });
  const limits = { timeoutMs: 300, maxInFlight: 8, maxBatch: 20 };
  const providers = new Providers({ chainId: 1, path: 'chains[0]', endpoints, identify, ...limits }, services);
  cleanups.push(() => providers.stop());
  await providers.start();
  const describe = () => providers.describe(({ rpc }) => rpc.request<string>('receipt'));
  const down = () => providers.report().filter(({ state }) => state !== 'ok').length;
  return { proxies, describe, down };
}

it.each([
  ['too large', { result: 'f'.repeat(9 * 1024 * 1024) }, TooMuchToDescribeError],
  ['late', 'hang', /no answer/],
  ['an error of the server', { status: 502 }, /502/],
  ['throttled', { status: 429 }, NotYetError],
  ['refused', { error: { code: -32000, message: 'no such history' } }, /no such history/],
] as const)('a description that is %s takes no provider out of use', async (_, fault, error) => {
  const { proxies, describe, down } = await ground(2);
  for (const proxy of proxies) proxy.plan = () => fault as never;
  await expect(describe()).rejects.toThrow(error as never);
  expect(proxies.map(({ calls }) => calls.length)).toEqual([1, 1]);
  expect(down()).toBe(0);
});

it('a description comes from the next provider where one has none', async () => {
  const { proxies, describe, down } = await ground(2);
  (proxies[0] as JsonRpcFaultProxy).plan = () => ({ error: { code: -32000, message: 'no such history' } });
  expect(await describe()).toBe('described');
  expect(down()).toBe(0);
});
