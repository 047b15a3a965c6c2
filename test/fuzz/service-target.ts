import { parseEther, parseUnits } from 'viem';
import { REQUEST_FEATURES } from '../../core/src/domain/features.js';
import { ADMIN_KEY, API_KEY } from '../support/config.js';
import { ROOT } from '../support/repository.js';
import { sleep, until } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { World } from '../support/world.js';
import type { Target } from './lane.js';
import type { Memory } from './memory.js';
import type { Words } from './request.js';

/** The real service in its own process on two real chains, with requests, keys and integrators. */
export interface ServiceTarget {
  readonly target: Target;
  complaints(): readonly string[];
  close(): Promise<void>;
}

const LIMITED = { quotes: '5/s', requests: '5/s', legacyRequests: '2/s', other: '5/s' };
const OFF = { quotes: 'off', requests: 'off', legacyRequests: 'off', other: 'off' };

/** Chains without new blocks count as down. */
const BLOCK_MS = 1_000;

/** Only elevated keys meet limits here. */
const TUNING = {
  // Quotes through pools, same-chain swaps by the payer, and swapped deposits.
  ...{ venues: true, payerSwaps: true, swappedIn: ['GOV', 'WETH'], addresses: true },
  withPlugins: [{ use: '@causeway/plugin-webhooks', options: {} }],
  edit: (document: Record<string, unknown>) => ({
    ...document,
    service: {
      ...(document['service'] as object),
      rateLimits: { default: OFF, elevated: LIMITED, status: 'off' },
    },
  }),
};

export async function serviceTarget(): Promise<ServiceTarget> {
  const receiver = await WebhookReceiver.start();
  const world = await World.prepare(TUNING);
  try {
    await world.boot({ NODE_OPTIONS: `--import=file://${ROOT}test/fuzz/gc.mjs` });
    const words = { ...(await traffic(world, receiver.url)), ...(await keysOf(world)), ...fixed(world) };
    const { body: document } = await world.rest.call<Target['document']>('GET', '/openapi.json');
    const blocks = setInterval(() => {
      for (const chain of world.chains) chain.mine().catch((error: unknown) => process.stderr.write(`${error}\n`));
    }, BLOCK_MS);
    const secrets = ['key', 'elevated', 'narrow', 'rotated', 'adminKey'].flatMap((kind) => words[kind] ?? []);
    return {
      target: {
        host: '127.0.0.1',
        port: world.port,
        document,
        words,
        memory: () => memoryOf(world),
        settle: async () => {
          for (const scope of SCOPES(world)) await admin(world, '/admin/resume', { scope });
        },
      },
      complaints: () => [
        ...errorsIn(world.service.output),
        ...secrets.filter((secret) => world.service.output.includes(secret)),
      ],
      close: async () => {
        clearInterval(blocks);
        await world.close();
        receiver.close();
      },
    };
  } catch (error) {
    receiver.close();
    await world.close();
    throw error;
  }
}

function errorsIn(output: string): readonly string[] {
  return output.split('\n').filter((line) => line.includes('"level":"error"'));
}

async function memoryOf({ service }: World): Promise<Memory> {
  const reported = () => [...service.output.matchAll(/^memory (\{.*\})$/gm)];
  const before = reported().length;
  process.kill(service.pid, 'SIGUSR2');
  const line = await until('the service tells of its memory', () => reported().at(before), { every: 20 });
  return JSON.parse(line[1] ?? '') as Memory;
}

async function admin<T>(world: World, path: string, body: object): Promise<T> {
  const response = await fetch(`${world.rest.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'x-admin-key': ADMIN_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Two delivered transfers and an unpaid quote. */
/** Webhook endpoints; some are removed during the run. */
const ENDPOINTS = 12;
/** Each is looked at again at most once a minute. */
const ADDRESSES = 8;

async function traffic(world: World, url: string): Promise<Words> {
  const { apiKey } = world.rest;
  const endpoint: string[] = [];
  for (let n = 0; n < ENDPOINTS; n += 1) {
    const asked = { body: { url: `${url}/${n}` }, key: apiKey };
    const made = await world.rest.call<{ readonly endpoint: { readonly id: string } }>(
      'POST',
      '/webhooks/endpoints',
      asked,
    );
    endpoint.push(made.body.endpoint.id);
  }
  const paid = [
    await world.order({ amount: parseEther('0.2'), body: { referrer: 'fuzz' }, keyed: true }),
    await world.order({ input: 'USDC', amount: parseUnits('40', 6), keyed: true }),
  ];
  const waiting = await world.order({ input: 'DAI', amount: parseUnits('10', 18) });
  for (const order of paid) await pay(order.from, order.user, order.quote);
  for (const order of paid) await world.becomes(order, 'success');
  const statuses = await Promise.all(paid.map((order) => world.rest.status(order.requestId)));
  const orders = [...paid, waiting];
  const byAddress = await Promise.all(
    Array.from({ length: ADDRESSES }, () =>
      world.order({ amount: parseEther('0.2'), keyed: true, body: { useDepositAddress: true } }),
    ),
  );
  const page = await world.rest.call<{ readonly continuation?: string }>('GET', '/requests/v3?limit=1');
  const later = await world.rest.call<{ readonly continuation?: string }>(
    'GET',
    '/requests/v3?limit=1&sortBy=updatedAt',
  );
  return {
    request: orders.map(({ requestId }) => requestId),
    order: orders.map(({ orderId }) => orderId),
    hash: statuses.flatMap(({ inTxHashes, txHashes }) => [...inTxHashes, ...txHashes]),
    user: orders.flatMap(({ user, recipient }) => [user.address, recipient]),
    endpoint,
    delivery: endpoint.flatMap((id) => paid.map(({ requestId }) => `${id}/${requestId}:1`)),
    url: [url],
    depositAddress: byAddress.flatMap(({ quote }) => quote.steps[0]?.depositAddress ?? []),
    addressRequest: byAddress.map(({ requestId }) => requestId),
    cursor: [page.body.continuation, later.body.continuation].filter((one) => one !== undefined),
  };
}

interface Made {
  readonly key: { readonly id: string };
  readonly secret: string;
}

async function keysOf(world: World): Promise<Words> {
  const integratorOf = async (name: string) =>
    (await admin<{ readonly integrator: { readonly id: string } }>(world, '/admin/integrators', { name })).integrator;
  const [integrator, other] = [await integratorOf('fuzz'), await integratorOf('victim')];
  const make = (more: object = {}) => admin<Made>(world, '/admin/keys', { integratorId: integrator.id, ...more });
  const expired = await make({ expiresInSeconds: 1 });
  const revoked = await make();
  const rotated = await make();
  const made = {
    elevated: await make({ tier: 'elevated' }),
    narrow: await make({ scopes: ['quote'] }),
    plain: await make({ name: 'plain' }),
  };
  await admin(world, '/admin/keys/revoke', { keyId: revoked.key.id });
  await admin(world, '/admin/keys/rotate', { keyId: rotated.key.id });
  const victims = await Promise.all(Array.from({ length: 8 }, () => make()));
  await sleep(1_100);
  const { secret } = made.plain;
  return {
    key: [API_KEY],
    elevated: [made.elevated.secret],
    narrow: [made.narrow.secret],
    expired: [expired.secret],
    revoked: [revoked.secret],
    rotated: [rotated.secret],
    mistyped: [`${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`],
    unknown: ['a-key-that-nobody-was-given'],
    keyId: [made.plain.key.id, made.elevated.key.id],
    // Changes to these are permanent; the keys above must stay unchanged.
    victim: victims.map(({ key }) => key.id),
    integrator: [other.id],
    adminKey: [ADMIN_KEY],
  };
}

const SCOPES = ({ a, b }: World) => ['all', `chain:${a.id}`, `route:${b.id}-${a.id}`];

const TOKENS = ['USDC', 'DAI', 'ETH', 'BLOCK', 'GOV', 'WETH'];

function fixed(world: World): Words {
  const { a, b, keys } = world;
  const route = `route:${b.id}-${a.id}`;
  return {
    chain: [`${a.id}`, `${b.id}`],
    token: TOKENS.map((symbol) => a.currency(symbol)),
    tokenB: TOKENS.map((symbol) => b.currency(symbol)),
    source: ['uniswap-v2', 'uniswap-v3', 'wrapped-native', 'UNISWAP-V3', 'nobody'],
    native: [a.currency('ETH')],
    pair: [`${a.id}:${a.currency('USDC')}`, `${b.id}:${b.currency('ETH')}`],
    symbol: ['USDC', 'eth', 'dai', 'usd-coin'],
    signer: [keys.fill.address, keys.allocator.address],
    feature: [...REQUEST_FEATURES],
    requestType: ['Bridge', 'call'],
    failReason: ['N/A', 'UNKNOWN', 'DOUBLE_SPEND'],
    // Pausing everything stops all quotes until they are restored.
    scope: [route, route, 'all', route, route, `chain:${a.id}`, route, route],
    uuid: ['6f2d0b8e-54a7-4d6c-9b1e-2f5a1c3d7e90'],
  };
}
