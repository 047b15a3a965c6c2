import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseUnits } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { solverConfig, type Tuning } from '../support/config.js';
import { until } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { World } from '../support/world.js';

const OLD = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

interface Arrival {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let world: World;
let server: Server;
let arrivals: Arrival[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // One of the endpoints never responds.
      if (request.url === '/hangs') return;
      const body = Buffer.concat(chunks).toString('utf8');
      arrivals.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  world = await World.prepare(tuning(['file:keys/old']));
  world.home.secret('keys/old', OLD);
  world.home.secret('keys/new', NEW);
  await world.boot();
});

afterAll(async () => {
  await world?.close();
  server?.closeAllConnections();
  server?.close();
});

function tuning(secrets: readonly string[]): Tuning {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoints = [
    { name: 'shop', url: `${url}/shop`, secrets },
    { name: 'ends', url: `${url}/ends`, secrets, statuses: ['success'], signatures: ['timestamped'] },
    { name: 'hangs', url: `${url}/hangs`, secrets },
  ];
  const withPlugins = [{ use: '@causeway/plugin-webhooks', options: { endpoints } }];
  return { collectMinUsd: '1000000000', withPlugins };
}

const to = (path: string) => arrivals.filter((one) => one.path === path);
const dataOf = ({ body }: Arrival) =>
  JSON.parse(body) as {
    readonly id: string;
    readonly sequence: number;
    readonly data: { readonly requestId: string; readonly status: string };
  };

function isSignedBy(secret: string, { headers, body }: Arrival): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return String(headers['webhook-signature'])
    .split(' ')
    .includes(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
}

async function transferred() {
  const order = await world.order({ input: 'USDC', amount: parseUnits('50', 6) });
  await pay(order.from, order.user, order.quote);
  await world.becomes(order, 'success', { mining: true });
  await until('its success is told to both', () =>
    ['/shop', '/ends'].every((path) =>
      to(path).some((one) => dataOf(one).data.requestId === order.requestId && dataOf(one).data.status === 'success'),
    ),
  );
  return order.requestId;
}

it('sends each endpoint what it asked for, signed, in order, whatever another one does', async () => {
  const requestId = await transferred();
  const reported = to('/shop').filter((one) => dataOf(one).data.requestId === requestId);
  expect(reported.map((one) => dataOf(one).sequence)).toEqual(reported.map((_, n) => n + 1));
  expect(reported.map((one) => [one.headers['webhook-id'], isSignedBy(OLD, one)])).toEqual(
    reported.map((one) => [dataOf(one).id, true]),
  );
  const ends = to('/ends');
  expect(ends.map((one) => dataOf(one).data.status)).toEqual(['success']);
  const { headers, body } = ends[0] as Arrival;
  const again = `${headers['x-signature-timestamp']}.${JSON.stringify(JSON.parse(body))}`;
  expect(headers['x-signature-sha256']).toBe(createHmac('sha256', OLD).update(again).digest('hex'));
});

it('signs by both secrets while they are changed', async () => {
  await world.service.stop();
  world.home.write(solverConfig(world.chains, world.port, tuning(['file:keys/new', 'file:keys/old'])));
  await world.boot();
  arrivals = [];
  await transferred();
  expect(to('/shop').length).toBeGreaterThan(0);
  for (const one of to('/shop')) expect([isSignedBy(NEW, one), isSignedBy(OLD, one)]).toEqual([true, true]);
});
