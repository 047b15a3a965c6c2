import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { HeadFeed, Providers } from '@causeway/core/rpc';
import { clockAhead, jsonRpcFaultProxy } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { headSource } from '../src/watch/heads.js';
import { fundedSolver } from './support/adapter.js';
import { type LocalNode, startNode } from './support/node.js';
import { services } from './support/services.js';

let node: LocalNode;
beforeAll(async () => {
  node = await startNode(10);
});
afterAll(() => node?.stop());

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function counted(port: number) {
  const sockets = { made: 0, url: '' };
  const server = createServer((client) => {
    sockets.made += 1;
    const upstream = connect(port, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  sockets.url = `ws://127.0.0.1:${address.port}`;
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return sockets;
}

async function following(endpoint: { readonly http: string; readonly ws?: string }, pollMs: number) {
  const deps = services();
  const identify = async () => ({ is: 'right' }) as const;
  const settings = { chainId: 1, path: 'chains[0]', endpoints: [endpoint], identify };
  const providers = new Providers({ ...settings, timeoutMs: 5_000, maxInFlight: 16, maxBatch: 1 }, deps);
  await providers.start();
  const feed = new HeadFeed(headSource([]), providers, { pollMs }, deps);
  feed.start();
  ends.push(() => feed.stop());
  return feed;
}

async function heads(feed: Awaited<ReturnType<typeof following>>, count: number): Promise<readonly number[]> {
  const seen: number[] = [];
  while (seen.length < count) {
    await feed.changed(feed.current, AbortSignal.timeout(30_000));
    seen.push(feed.current?.height ?? -1);
  }
  return seen;
}

it('keeps a connection that reports every slot, also where it does not name it', async () => {
  const sockets = await counted(Number(new URL(node.wsUrl).port));
  const feed = await following({ http: node.url, ws: sockets.url }, 60_000);
  const seen = await heads(feed, 14);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(sockets.made).toBe(1);
});

it('asks for no more than the slot while there is nothing new', async () => {
  const proxy = await jsonRpcFaultProxy(node.url);
  ends.push(() => proxy.close());
  await node.clock.hold();
  ends.push(async () => node.clock.run());
  const feed = await following({ http: proxy.url }, 5);
  let heads = 0;
  feed.onHead(() => {
    heads += 1;
  });
  const SLOTS = 6;
  for (let n = 0; n < SLOTS; n += 1) {
    const [before, looks] = [feed.current, proxy.count('getSlot')];
    while (proxy.count('getSlot') < looks + 10) await delay(5);
    await node.clock.advance(1);
    await feed.changed(before, AbortSignal.timeout(30_000));
  }
  await feed.stop();
  expect(proxy.count('getSlot')).toBeGreaterThanOrEqual(10 * SLOTS);
  expect(heads).toBeGreaterThanOrEqual(SLOTS);
  expect(proxy.count('getLatestBlockhash')).toBeLessThanOrEqual(heads + 1);
});

it('a hint of any client is one look at most, and begins no time of frequent looks', async () => {
  const proxy = await jsonRpcFaultProxy(node.url);
  ends.push(() => proxy.close());
  const { clock, skip } = clockAhead();
  const solver = await fundedSolver(node, []);
  const adapter = await solver.start({ rpc: [{ http: proxy.url, ws: node.wsUrl }] }, clock);
  ends.push(() => adapter.stop());
  const looks = async (ms: number) => {
    const before = proxy.count('getSlot');
    await delay(ms);
    return proxy.count('getSlot') - before;
  };
  // Past the time after a start, the subscription reports slots, and a look follows each second.
  skip(60_000);
  const until = Date.now() + 30_000;
  while ((await looks(2_000)) > 4 && Date.now() < until);
  const hinted = looks(2_000);
  for (let n = 0; n < 20; n += 1) adapter.hint(`${n}`);
  expect(await hinted).toBeLessThanOrEqual(5);
}, 60_000);
