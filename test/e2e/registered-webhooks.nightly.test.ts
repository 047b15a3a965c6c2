import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkIntegrator } from '../support/app-balance.js';
import { ROOT } from '../support/repository.js';
import { sleep, until } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { type Arrival, reportedIn, verify, WebhookReceiver } from '../support/webhook-receiver.js';
import { World } from '../support/world.js';

interface Endpoint {
  readonly id: string;
  readonly secret: string;
}

let world: World;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  world = await World.start({
    collectMinUsd: '1000000000',
    withPlugins: [{ use: '@causeway/plugin-webhooks', options: {} }],
  });
});

/** Balances are looked at every two seconds. */
const LOOKS_MS = 5_000;

afterAll(async () => {
  await world?.close();
  receiver?.close();
});

const call = <T>(method: string, path: string, body?: unknown) =>
  world.rest.call<T>(method, path, { key: world.rest.apiKey, ...(body === undefined ? {} : { body }) });

async function register(path: string, more: object = {}): Promise<Endpoint> {
  const made = await call<{ endpoint: { id: string }; secret: string }>('POST', '/webhooks/endpoints', {
    url: `${receiver.url}${path}`,
    ...more,
  });
  expect(made.status).toBe(200);
  return { id: made.body.endpoint.id, secret: made.body.secret };
}

async function transferred(keyed = true): Promise<string> {
  const order = await world.order({ input: 'USDC', amount: parseUnits('50', 6), keyed });
  await pay(order.from, order.user, order.quote);
  await world.becomes(order, 'success', { mining: true });
  return order.requestId;
}

const reported = (path: string, requestId: string) => receiver.reported(path, requestId);
const isReported = (path: string, requestId: string) =>
  until(`${path} hears of ${requestId}`, () =>
    reported(path, requestId).some((one) => reportedIn(one).data.status === 'success'),
  );

const cli = async (...args: readonly string[]) => {
  const env = { ...process.env, CAUSEWAY_URL: world.rest.baseUrl, CAUSEWAY_ADMIN_KEY: world.rest.adminKey };
  const program = [`${ROOT}core/bin/causeway.js`, 'webhooks', ...args];
  return (await promisify(execFile)(process.execPath, program, { env })).stdout;
};

const lowBalances = (path: string) =>
  receiver.arrivals
    .filter((one) => one.path === path)
    .map((one) => ({ one, said: JSON.parse(one.body) as { event: string; id: string; data: object } }))
    .filter(({ said }) => said.event === 'app-balance.low');

it('an endpoint is informed once each time that the app balance becomes low, also over failures and restarts', async () => {
  // Of 10 dollars, which the operator asks for.
  const integrator = await linkIntegrator(world, 9_000_000n);
  const shop = await register('/balance');
  const change = async (how: 'credit' | 'debit', amount: string) => {
    const body = { integratorId: integrator.id, amount, reason: 'test', changeId: `${how}-${amount}` };
    const headers = { 'content-type': 'application/json', 'x-admin-key': world.rest.adminKey };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    expect(await fetch(`${world.rest.baseUrl}/admin/balances/${how}`, request)).toMatchObject({ status: 200 });
  };
  // It was low before the endpoint was there.
  await change('credit', '20000000');
  await sleep(LOOKS_MS);
  expect(lowBalances('/balance')).toEqual([]);
  receiver.status = 503;
  await change('debit', '21000000');
  await until('it refuses', () => receiver.refused > 0, { ms: 30_000 });
  await world.service.kill();
  receiver.status = 204;
  await world.boot();
  const [first] = await until('it is posted', () =>
    lowBalances('/balance').length > 0 ? lowBalances('/balance') : undefined,
  );
  expect(first?.said).toMatchObject({ data: { integratorId: integrator.id, available: '8000000' } });
  if (first !== undefined) verify(shop.secret, first.one);
  await sleep(LOOKS_MS);
  expect(lowBalances('/balance')).toHaveLength(1);
  await change('credit', '30000000');
  await sleep(LOOKS_MS);
  await change('debit', '31000000');
  await until('it is posted again', () => lowBalances('/balance').length === 2, { ms: 30_000 });
  expect(new Set(lowBalances('/balance').map(({ said }) => said.id)).size).toBe(2);
});

describe('an endpoint that an integrator registered', () => {
  it('is informed of requests of its key alone, and the public libraries know every post as ours', async () => {
    const shop = await register('/shop');
    const foreign = await transferred(false);
    const own = await transferred();
    await isReported('/shop', own);
    expect(reported('/shop', foreign)).toEqual([]);
    const posts = reported('/shop', own);
    expect(posts.map((one) => reportedIn(one).sequence)).toEqual(posts.map((_, n) => n + 1));
    for (const one of posts) verify(shop.secret, one);
    const [first] = posts as [Arrival];
    expect(() => verify(shop.secret, { ...first, body: first.body.replace('"status"', '"statuz"') })).toThrow();
    expect(() => verify(`whsec_${Buffer.alloc(32, 9).toString('base64')}`, first)).toThrow();
  });

  it('keeps hearing while its secret is rotated: old and new both verify', async () => {
    const { id, secret } = await register('/rotated');
    const before = await transferred();
    await isReported('/rotated', before);
    const made = await call<{ secret: string }>('POST', `/webhooks/endpoints/${id}/rotate`, { overlapSeconds: 60 });
    // The dispatcher reads endpoints every second.
    const both = await until(
      'a post is signed by both',
      async () => {
        const after = await transferred();
        await isReported('/rotated', after);
        return reported('/rotated', after).find(({ headers }) => String(headers['webhook-signature']).includes(' '));
      },
      { ms: 30_000 },
    );
    for (const one of reported('/rotated', before)) verify(secret, one);
    for (const known of [secret, made.body.secret]) verify(known, both);
  });

  it('hears later of what it refused, its log says why, and hears again what it asks for', async () => {
    const { id } = await register('/log');
    receiver.status = 500;
    const requestId = await transferred();
    type Log = {
      deliveries: {
        id: string;
        state: string;
        attempts: number;
        reason: string | null;
        answer: { body: string } | null;
      }[];
    };
    const log = async (query = '') =>
      (await call<Log>('GET', `/webhooks/deliveries?endpointId=${id}&requestId=${requestId}${query}`)).body.deliveries;
    const failing = await until('the failure is in the log', async () =>
      (await log()).find(({ attempts }) => attempts > 0),
    );
    expect(failing).toMatchObject({ state: 'pending', reason: 'it answers 500', answer: { body: 'not now' } });
    receiver.status = 204;
    await isReported('/log', requestId);
    await until('all is recorded', async () => (await log('&state=pending')).length === 0);
    const ids = reported('/log', requestId).map((one) => reportedIn(one).id);
    receiver.arrivals = [];
    expect(await cli('replay', id, '--since', '1h')).toMatch(/^\d+ events are posted again/);
    await isReported('/log', requestId);
    expect(reported('/log', requestId).map((one) => reportedIn(one).id)).toEqual(ids);
    expect(await cli('list')).toContain(`${receiver.url}/log`);
    expect(await cli('log', id, '--limit', '2')).toMatch(/delivered/);
    expect(await cli('test', id)).toMatch(/^delivered within/);
    expect(receiver.arrivals.map((one) => reportedIn(one).event)).toContain('endpoint.test');
  });

  it('is known after kill -9, with what it was not sent yet', async () => {
    await register('/killed');
    receiver.status = 500;
    const requestId = await transferred();
    await world.service.kill();
    receiver.status = 204;
    await world.boot();
    await isReported('/killed', requestId);
    const posts = reported('/killed', requestId);
    expect(posts.map((one) => reportedIn(one).sequence)).toEqual(
      posts.map((one) => reportedIn(one).sequence).sort((a, b) => a - b),
    );
  });
});
