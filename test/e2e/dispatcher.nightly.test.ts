import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseUnits } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { solverConfig } from '../support/config.js';
import { until } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

/** A notifier as a deployer would write it: each event as one POST. */
const PLUGIN = `
import { definePlugin } from '@causeway/core';

export const plugin = definePlugin({
  id: 'post',
  coreRange: '*',
  options: {
    type: 'object',
    required: ['url'],
    properties: { url: { type: 'string', description: 'Where events are posted.', examples: ['http://127.0.0.1:1'] } },
  },
  register: ({ id, options, notifiers }) => {
    notifiers.add({
      id,
      deliver: async ({ id: event, requestId, sequence, payload }) => {
        try {
          const body = JSON.stringify({ id: event, requestId, sequence, payload });
          const response = await fetch(options.url, { method: 'POST', body, signal: AbortSignal.timeout(2_000) });
          await response.arrayBuffer();
          return response.ok ? { outcome: 'delivered' } : { outcome: 'retry', afterMs: 0, why: 'answered ' + response.status };
        } catch {
          return { outcome: 'retry', afterMs: 0, why: 'not reached' };
        }
      },
    });
  },
});
`;

interface Arrival {
  readonly id: string;
  readonly requestId: string;
  readonly sequence: number;
  readonly payload: { readonly event: string; readonly data: { readonly status: string } };
}

let world: World;
let server: Server;
let status = 200;
let arrivals: Arrival[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (status === 200) arrivals.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Arrival);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const withPlugins = [{ use: './post.mjs', options: { url: `http://127.0.0.1:${port}` } }];
  world = await World.prepare({ collectMinUsd: '1000000000', withPlugins });
  writeFileSync(join(world.home.dir, 'post.mjs'), PLUGIN);
  world.home.write(solverConfig(world.chains, world.port, { collectMinUsd: '1000000000', withPlugins }));
});

afterAll(async () => {
  await world?.close();
  server?.closeAllConnections();
  server?.close();
});

beforeEach(() => {
  status = 200;
  arrivals = [];
});

const ordered = () => world.order({ input: 'USDC', amount: parseUnits('50', 6) });
const of = ({ requestId }: Order) => arrivals.filter((one) => one.requestId === requestId);
const sequences = (order: Order) => [...new Set(of(order).map(({ sequence }) => sequence))];
const statuses = (order: Order) => [...new Map(of(order).map((one) => [one.id, one.payload.data.status])).values()];

async function reportedInOrder(order: Order): Promise<void> {
  await world.becomes(order, 'success', { mining: true });
  await until('its success is told', () => statuses(order).includes('success'));
  const reported = sequences(order);
  expect(reported).toEqual(reported.map((_, n) => n + 1));
  expect(statuses(order)[0]).toBe('pending');
}

async function boot(env: Readonly<Record<string, string>> = {}): Promise<void> {
  if (world.service?.alive === true) await world.service.stop();
  await world.boot(env);
}

it('notifies a notifier of the config of each change of a request, in order', async () => {
  await boot();
  const order = await ordered();
  await pay(order.from, order.user, order.quote);
  await reportedInOrder(order);
  expect(of(order)).toHaveLength(sequences(order).length);
  expect(of(order)[0]?.payload.event).toBe('request.status.updated');
});

it('reports after a restart what the receiver refused and what happened while the service was away', async () => {
  await boot();
  status = 500;
  const order = await ordered();
  await pay(order.from, order.user, order.quote);
  await world.becomes(order, 'success', { mining: true });
  expect(of(order)).toEqual([]);
  await world.service.stop();
  status = 200;
  await boot();
  await reportedInOrder(order);
});

const POINTS = [
  'notifier.deliver.before',
  'notifier.deliver.after',
  'store.dispatch.turn.before',
  'store.dispatch.turn.after',
];

describe.each(POINTS)('kill -9 at %s', (point) => {
  it('and a restart report everything at least once and nothing out of order', async () => {
    await boot({ CAUSEWAY_CRASH_AT: point });
    const order = await ordered();
    await pay(order.from, order.user, order.quote);
    expect(await world.service.end('at the crash point', 15_000)).toEqual({ code: null, signal: 'SIGKILL' });
    await boot();
    await reportedInOrder(order);
  });
});

describe.each(['store.dispatch.endpoints.before', 'store.dispatch.endpoints.after'])('kill -9 at %s', (point) => {
  it('and a restart begin with the next event', async () => {
    await world.service.stop();
    world.home.write(
      solverConfig(world.chains, world.port, {
        collectMinUsd: '1000000000',
        withPlugins: [
          {
            use: './post.mjs',
            as: point.endsWith('before') ? 'other' : 'another',
            options: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
          },
        ],
      }),
    );
    await expect(world.boot({ CAUSEWAY_CRASH_AT: point })).rejects.toThrow('ended at start');
    await boot();
    const order = await ordered();
    await pay(order.from, order.user, order.quote);
    await reportedInOrder(order);
  });
});
