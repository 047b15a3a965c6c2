import { parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PgWorld } from '../faults/support/pg-world.js';
import { API_KEY } from '../support/config.js';
import { type EventReader, type Reported, socketReader, streamReader } from '../support/event-readers.js';
import { until } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

const TUNING = { collectMinUsd: '1000000000' };

const nameOf = ({ data, sequence }: Reported) => `${data.requestId}:${sequence} ${data.status}`;
const successes = ({ reported }: EventReader) =>
  reported.filter(({ data }) => data.status === 'success').map(({ data }) => data.requestId);

async function paid(world: World): Promise<Order> {
  const order = await world.order({ input: 'USDC', amount: parseUnits('50', 6), keyed: true });
  await pay(order.from, order.user, order.quote);
  return order;
}

/** From the first event on. */
async function everything(url: string, count: number): Promise<readonly string[]> {
  const abort = new AbortController();
  const headers = { 'x-api-key': API_KEY, 'last-event-id': '0' };
  const response = await fetch(`${url}/events`, { headers, signal: abort.signal });
  const all: string[] = [];
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString('utf8');
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) all.push(nameOf(JSON.parse(data) as Reported));
    }
    if (all.length >= count) break;
  }
  abort.abort();
  return all;
}

/** All readers got every event once, in feed order. */
async function reportedAll(
  readers: readonly EventReader[],
  orders: readonly Order[],
  url: () => string,
): Promise<void> {
  const ids = orders.map(({ requestId }) => requestId).sort();
  await until('every reader is told of every success', () =>
    readers.every((reader) => JSON.stringify([...successes(reader)].sort()) === JSON.stringify(ids)),
  );
  const most = Math.max(...readers.map(({ reported }) => reported.length));
  const all = await everything(url(), most);
  for (const { reported, gaps } of readers) {
    expect(gaps).toEqual([]);
    expect(reported.map(nameOf)).toEqual(all);
    const positions = reported.map(({ position }) => position);
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
    for (const id of ids) {
      const sequences = reported.filter(({ data }) => data.requestId === id).map(({ sequence }) => sequence);
      expect(sequences).toEqual(sequences.map((_, n) => n + 1));
    }
  }
}

describe('readers of one process that is killed and started again', () => {
  let world: World;
  let readers: readonly EventReader[] = [];
  beforeAll(async () => {
    world = await World.start(TUNING);
    readers = [socketReader, streamReader].map((open) => open(() => world.rest.baseUrl, API_KEY));
    await until('they are there', () => readers.every(({ connections }) => connections === 1));
  });
  afterAll(async () => {
    for (const reader of readers) await reader.close();
    await world?.close();
  });

  it('miss nothing and are sent nothing twice', async () => {
    const orders: Order[] = [];
    for (let n = 0; n < 3; n += 1) {
      const order = await paid(world);
      orders.push(order);
      // The process dies before anyone gets the last event; the next one sends what happened meanwhile.
      await until('it is seen', () =>
        readers.every(({ reported }) => reported.some((one) => one.data.requestId === order.requestId)),
      );
      await world.service.kill();
      await world.boot();
      await world.becomes(order, 'success', { mining: true });
      for (const reader of readers) if (n === 1) reader.cut();
    }
    await reportedAll(readers, orders, () => world.rest.baseUrl);
    expect(readers.every(({ connections }) => connections >= 4)).toBe(true);
    expect(await world.verdict()).toEqual([]);
  });
});

describe('readers of two processes of one database', () => {
  let both: PgWorld;
  let turn = 0;
  /** Reconnects alternate between the two. */
  const next = () => both.member(turn++ % 2).rest.baseUrl;
  let readers: readonly EventReader[] = [];
  beforeAll(async () => {
    both = await PgWorld.prepare(2, 5_000, TUNING);
    await both.member(0).boot();
    await both.member(1).boot();
    readers = [socketReader, streamReader, socketReader, streamReader].map((open) => open(next, API_KEY));
    await until('they are there', () => readers.every(({ connections }) => connections === 1));
  }, 120_000);
  afterAll(async () => {
    for (const reader of readers) await reader.close();
    await both?.close();
  });

  it('go on at the other when one is killed, and hear there of what either did', async () => {
    const { world } = both;
    const orders: Order[] = [];
    for (const killed of [1, 0, 1]) {
      // The first member's REST must be back before the next order.
      const order = await paid(world);
      orders.push(order);
      await until('it is seen', () =>
        readers.every(({ reported }) => reported.some((one) => one.data.requestId === order.requestId)),
      );
      await both.member(killed).service.kill();
      if (killed === 0) await both.member(0).boot();
      await world.becomes(order, 'success', { mining: true, ms: 60_000 });
      if (killed === 1) await both.member(1).boot();
      for (const reader of readers) reader.cut();
    }
    await reportedAll(readers, orders, () => both.member(1).rest.baseUrl);
    expect(await world.verdict()).toEqual([]);
  }, 240_000);
});
