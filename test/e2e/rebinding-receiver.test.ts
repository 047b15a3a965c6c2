import { fileURLToPath } from 'node:url';
import { parseUnits } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OddReceiver } from '../support/odd-receiver.js';
import { until } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { World } from '../support/world.js';

const PRELOAD = fileURLToPath(new URL('../support/rebinding-names.mjs', import.meta.url));

let world: World;
let receiver: OddReceiver;

beforeAll(async () => {
  receiver = await OddReceiver.start();
  world = await World.prepare({
    collectMinUsd: '1000000000',
    withPlugins: [{ use: '@causeway/plugin-webhooks', options: { ports: [receiver.port] } }],
    // A local network allows every address.
    edit: (document) => ({ ...document, service: { ...(document.service as object), network: 'testnet' } }),
  });
  await world.boot({ NODE_OPTIONS: `--import ${PRELOAD}` });
});

afterAll(async () => {
  await world?.close();
  receiver?.close();
});

const register = (url: string) =>
  world.rest.call<{ endpoint: { id: string }; field?: string; message?: string }>('POST', '/webhooks/endpoints', {
    ...{ key: world.rest.apiKey, body: { url } },
  });

it.each(['https://127.0.0.1', 'https://[::ffff:127.0.0.1]', 'https://169.254.169.254', 'https://localhost'])(
  'an endpoint at %s is refused at once',
  async (host) => {
    const { status, body } = await register(`${host}:${receiver.port}/`);
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringMatching(/url.*(private network|no address that may be posted to)/),
    ]);
  },
);

it('an endpoint whose name leads elsewhere once it is registered is never connected to, and its log says why', async () => {
  const { status, body } = await register(`https://rebinds.example:${receiver.port}/`);
  expect(status).toBe(200);
  const order = await world.order({ input: 'USDC', amount: parseUnits('50', 6), keyed: true });
  await pay(order.from, order.user, order.quote);
  await world.becomes(order, 'success', { mining: true });
  type Log = { deliveries: { attempts: number; state: string; reason: string | null }[] };
  const query = `endpointId=${body.endpoint.id}&requestId=${order.requestId}`;
  const tried = await until('it was tried', async () => {
    const log = await world.rest.call<Log>('GET', `/webhooks/deliveries?${query}`, { key: world.rest.apiKey });
    return log.body.deliveries.find(({ attempts }) => attempts > 0);
  });
  expect(tried).toMatchObject({ state: 'pending', reason: 'its name leads to no address that may be posted to' });
  expect(receiver.connections).toBe(0);
});
