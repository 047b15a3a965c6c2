import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Clock } from '../../src/contract/clock.js';
import { HeadFeed, type HeadSource, type NamedHead, type Pace } from '../../src/rpc/head-feed.js';
import type { Providers } from '../../src/rpc/providers.js';

const PACE: Pace = { pollMs: 100, restMs: 400 };
/** Silence limit after the start and each sign. */
const EXPECTED_MS = 10_000;

/** Time on request; `pauses` are the feed's sleeps, milliseconds. */
class StoppedClock implements Pick<Clock, 'now' | 'monotonic' | 'sleep'> {
  at = 0;
  readonly pauses: number[] = [];
  #sleepers: (() => void)[] = [];

  now = (): number => this.at;
  monotonic = (): number => this.at;

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    // The round of the providers in reserve: see reserve-heads.test.ts.
    if (ms >= 60_000) return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
    this.pauses.push(ms);
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      signal?.addEventListener('abort', () => resolve());
      this.#sleepers.push(resolve);
    });
  }

  /** Wakes all sleepers. */
  pass(ms: number): void {
    this.at += ms;
    for (const wake of this.#sleepers.splice(0)) wake();
  }
}

let server: WebSocketServer;
let clock: StoppedClock;
let feed: HeadFeed<NamedHead> | undefined;
let reads: number;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  clock = new StoppedClock();
  reads = 0;
});

afterEach(async () => {
  await feed?.stop();
  for (const client of server.clients) client.terminate();
  await new Promise((resolve) => server.close(resolve));
});

/** A new head per read. */
const source: HeadSource<NamedHead> = {
  read: async () => {
    reads += 1;
    return { height: reads, id: String(reads) };
  },
  topics: {
    requests: [],
    read: ({ method }) => (method === 'tick' || method === 'look' ? method : undefined),
  },
};

function follow(ws?: string, rpc: { readonly isScarce?: boolean } = {}): HeadFeed<NamedHead> {
  const provider = { name: 'one', rpc, ...(ws === undefined ? {} : { ws }) };
  const providers = {
    active: () => provider,
    onChange: () => () => undefined,
    read: () => undefined,
    unread: () => undefined,
    sawHead: () => undefined,
  };
  const log = { warn: () => undefined } as never;
  feed = new HeadFeed(source, providers as unknown as Providers, PACE, { clock: clock as unknown as Clock, log });
  feed.start();
  return feed;
}

async function connected(): Promise<(method: 'tick' | 'look') => Promise<void>> {
  const joins = once(server, 'connection');
  const { port } = server.address() as AddressInfo;
  follow(`ws://127.0.0.1:${port}`);
  const [client] = (await joins) as [{ send(text: string): void }];
  await expect.poll(() => clock.pauses.length).toBeGreaterThan(0);
  return async (method) => {
    client.send(JSON.stringify({ method }));
    // Messages before a pong arrive first.
    const [open] = [...server.clients];
    const answered = new Promise((resolve) => open?.once('pong', resolve));
    open?.ping();
    await answered;
    await new Promise((resolve) => setImmediate(resolve));
  };
}

it('looks at every turn of the chain while something is expected', async () => {
  const reports = await connected();
  const before = reads;
  await reports('tick');
  await expect.poll(() => reads).toBe(before + 1);
  await reports('tick');
  await expect.poll(() => reads).toBe(before + 2);
  expect(new Set(clock.pauses)).toEqual(new Set([100]));
});

it('looks now and then while nothing is', async () => {
  const reports = await connected();
  clock.at += EXPECTED_MS;
  await reports('tick');
  await expect.poll(() => clock.pauses.at(-1)).toBe(400);
  const before = reads;
  clock.at += 399;
  await reports('tick');
  await reports('tick');
  expect(reads).toBe(before);
  clock.at += 1;
  await reports('tick');
  await expect.poll(() => reads).toBe(before + 1);
});

it.each(['look', 'expect'] as const)('looks at once, and often again, after a sign (%s)', async (sign) => {
  const reports = await connected();
  clock.at += EXPECTED_MS;
  await reports('tick');
  await expect.poll(() => clock.pauses.at(-1)).toBe(400);
  const before = reads;
  if (sign === 'look') await reports('look');
  else feed?.expect();
  await expect.poll(() => reads).toBe(before + 1);
  await expect.poll(() => clock.pauses.at(-1)).toBe(100);
  await reports('tick');
  await expect.poll(() => reads).toBe(before + 2);
});

it('does not rest where only polling reports changes', async () => {
  follow();
  await expect.poll(() => clock.pauses.length).toBe(1);
  clock.pass(EXPECTED_MS);
  await expect.poll(() => clock.pauses.length).toBe(2);
  expect(clock.pauses).toEqual([100, 100]);
});

it('does not rest where its websocket has become silent', async () => {
  const reports = await connected();
  clock.at += EXPECTED_MS;
  await reports('tick');
  await expect.poll(() => clock.pauses.at(-1)).toBe(400);
  clock.pass(400);
  // Its head was never announced.
  await expect.poll(() => clock.pauses.at(-1)).toBe(100);
});

describe('hints of clients', () => {
  const hints = async (many: number) => {
    for (let n = 0; n < many; n += 1) {
      feed?.hint();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return reads;
  };

  it('make it look early once in a poll interval, however many come', async () => {
    follow();
    await expect.poll(() => clock.pauses.length).toBe(1);
    expect(await hints(400)).toBe(2);
    clock.at += 99;
    expect(await hints(400)).toBe(2);
    clock.at += 1;
    expect(await hints(400)).toBe(3);
    // Awaited heads are read at once.
    feed?.poke();
    await expect.poll(() => reads).toBe(4);
  });

  it('cause no request where the provider takes few', async () => {
    follow(undefined, { isScarce: true });
    await expect.poll(() => clock.pauses.length).toBe(1);
    expect(await hints(400)).toBe(1);
  });
});
