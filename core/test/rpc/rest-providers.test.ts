import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { Sighting } from '../../src/contract/index.js';
import { HeadFeed, type NamedHead, type RestClient, RestProviders, reports, witness } from '../../src/rpc/index.js';
import { realClock as clock, type RestFaultProxy, restFaultProxy } from '../../src/testing/index.js';

interface Status {
  readonly chain: string;
  readonly height: number;
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function node(chain: string, height: number): Promise<RestFaultProxy> {
  const server = createServer((_, response) => response.end(JSON.stringify({ chain, height })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  const proxy = await restFaultProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  cleanups.push(() => proxy.close());
  return proxy;
}

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
const raised: string[] = [];
const services = {
  ...{ clock, log: log as never, metrics: { count: quiet, observe: quiet, gauge: quiet } as never },
  alerts: { raise: (key: string) => raised.push(key), clear: quiet } as never,
};

async function providersOf(nodes: readonly RestFaultProxy[]): Promise<RestProviders> {
  const providers = new RestProviders(
    {
      ...{ chainId: 7, path: 'chains[0]', endpoints: nodes.map(({ url }) => ({ http: url })) },
      identify: async (rest: RestClient) => {
        const { chain } = await rest.get<Status>('/status');
        return chain === 'mine' ? { is: 'right' } : { is: 'foreign', reason: `serves ${chain}` };
      },
      ...{ timeoutMs: 400, maxInFlight: 4 },
    },
    services,
  );
  cleanups.push(() => providers.stop());
  await providers.start();
  return providers;
}

const heightOf = (providers: RestProviders) =>
  providers.run(async ({ rpc }) => (await rpc.get<Status>('/status')).height);

it('asks the next node where one fails, and the first again once it is back', async () => {
  const [one, two] = [await node('mine', 1), await node('mine', 2)];
  const providers = await providersOf([one, two]);
  expect(await heightOf(providers)).toBe(1);
  one.plan = () => 'dropBefore';
  expect(await heightOf(providers)).toBe(2);
  one.heal();
  await expect.poll(() => heightOf(providers)).toBe(1);
});

it('does not start with a node of another chain', async () => {
  await expect(providersOf([await node('mine', 1), await node('theirs', 1)])).rejects.toMatchObject({
    name: 'OptionError',
    optionPath: 'chains[0].rpc[1]',
    message: expect.stringContaining('serves theirs'),
  });
});

it('says of a chain that no node serves that nothing was learnt', async () => {
  const only = await node('mine', 1);
  const providers = await providersOf([only]);
  only.plan = () => ({ status: 502 });
  await expect(heightOf(providers)).rejects.toMatchObject({ name: 'TransportError' });
  expect(providers.problem()).toContain('HTTP status 502');
  expect(raised).toContain('rpc-7');
});

it('is followed by a feed of heads that reads, without a websocket', async () => {
  const one = await node('mine', 5);
  const providers = await providersOf([one]);
  const read = async ({ rpc }: { readonly rpc: RestClient }) => {
    const { height } = await rpc.get<Status>('/status');
    return { height, id: String(height) };
  };
  const feed = new HeadFeed<NamedHead, RestClient>({ read }, providers, { pollMs: 20 }, services);
  feed.start();
  cleanups.push(() => feed.stop());
  await expect.poll(() => feed.current?.height).toBe(5);
  one.plan = () => ({ rewrite: ({ status }) => ({ status, body: '{"chain":"mine","height":6}' }) });
  await expect.poll(() => feed.current?.height).toBe(6);
  expect(providers.report()[0]?.head).toEqual({ height: 6, at: expect.any(Number), behind: 0 });
});

it('says how far behind another one each was when it was read last', async () => {
  const providers = await providersOf([await node('mine', 9), await node('mine', 6)]);
  const [first, second] = providers.usable();
  for (const [provider, height] of [
    [first, 9],
    [second, 6],
    [first, 12],
  ] as const)
    if (provider !== undefined) providers.sawHead(provider, height);
  expect(providers.report().map(({ head }) => head?.behind)).toEqual([0, 3]);
});

it('asks each of them for what one reported: one that contradicts outweighs those that agree', async () => {
  const nodes = [await node('mine', 1), await node('mine', 1), await node('mine', 9)];
  const providers = await providersOf(nodes);
  const sighting = { fundingKey: 'a:0', amount: 1n, providers: 2, block: { height: 8, id: 'b' } } as Sighting;
  const ask = (believed: number) =>
    witness(providers, [sighting], async ({ rpc, index }, seen) => {
      if (index >= believed) return 'nothing';
      const { height } = await rpc.get<Status>('/status');
      return reports([{ ...seen, amount: BigInt(height) }], seen) ? 'same' : 'different';
    });
  expect(await ask(1)).toEqual([false]);
  expect(await ask(2)).toEqual([true]);
  const says = () => providers.report().map(({ testimony }) => testimony?.says);
  expect(says()).toEqual(['same', 'same', 'nothing']);
  const begun = providers.report()[0]?.testimony?.since;
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await ask(3)).toEqual([false]);
  // The operator's page names the one that contradicts, and since when each says what it says.
  expect(says()).toEqual(['same', 'same', 'different']);
  const [agrees, , contradicts] = providers.report();
  expect(agrees).toMatchObject({ head: { height: 8, behind: null }, testimony: { since: begun } });
  expect(contradicts?.head).toBeNull();
  expect(contradicts?.testimony?.since).toBeGreaterThan(begun ?? Number.NaN);
});
