import { sleep } from '../../support/until.js';
import { type Arrival, reportedIn, verify, WebhookReceiver } from '../../support/webhook-receiver.js';
import type { Order, World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import type { Scene } from '../scene.js';
import { deposit, ended, SMALL } from './orders.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const AFTER_REMOVAL_MS = 2_000;

const REPORTING = /^(notifier|channel|store\.(dispatch|endpoints|deliveries))\./;

interface Registered {
  readonly id: string;
  readonly secret: string;
}

interface Log {
  readonly deliveries: readonly { readonly id: string }[];
}

function asked<T>({ world, insist }: Scene, method: string, path: string, body?: unknown): Promise<T> {
  return insist(path, async () => {
    const sent = { key: world.rest.apiKey, ...(body === undefined ? {} : { body }) };
    const answer = await world.rest.call<T>(method, path, sent);
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  });
}

const isReported = (arrivals: readonly Arrival[], status: string): boolean =>
  arrivals.some((one) => reportedIn(one).data.status === status);

/** Per receiver: each event at least once, in order, under one id with one body. */
function wrongIn(what: string, arrivals: readonly Arrival[]): readonly string[] {
  const bodies = new Map<string, string>();
  const order: number[] = [];
  const wrong: string[] = [];
  for (const one of arrivals) {
    const { id, sequence } = reportedIn(one);
    const before = bodies.get(id);
    if (before === undefined) {
      bodies.set(id, one.body);
      order.push(sequence);
    } else if (before !== one.body) wrong.push(`${what} received ${id} as ${before} and as ${one.body}`);
  }
  if (order.some((sequence, n) => sequence !== n + 1)) wrong.push(`${what} received ${order.join(', ')}`);
  return wrong;
}

function withWebhooks(options: object): NonNullable<Flow['tuning']> {
  return { withPlugins: [{ use: '@causeway/plugin-webhooks', options }] };
}

/** A notifier from the config: events of a transfer from its first start on. */
export const reportedOfConfig: Flow = {
  name: 'delivered to a configured notifier',
  prepare: async (world) => {
    const receiver = await WebhookReceiver.start();
    world.home.secret('keys/shop', SECRET);
    const order = await world.order({ amount: SMALL });
    const reported = () => receiver.reported('/shop', order.requestId);
    return {
      tuning: withWebhooks({ endpoints: [{ name: 'shop', url: `${receiver.url}/shop`, secrets: ['file:keys/shop'] }] }),
      before: async () => receiver.forget(),
      act: async (scene) => {
        await scene.awake();
        await deposit(order);
      },
      done: async (scene) =>
        (await scene.filled(order)) && (await ended(order, 'success')(scene)) && isReported(reported(), 'success'),
      judge: async () => wrongIn('shop', reported()),
      end: () => receiver.close(),
    };
  },
};

export const reportedAgain: Flow = {
  name: 'delivered to a registered endpoint, and again',
  only: REPORTING,
  prepare: async (world) => {
    const receiver = await WebhookReceiver.start();
    const order = await world.order({ amount: SMALL, keyed: true });
    let secret = '';
    let asksFrom = Number.POSITIVE_INFINITY;
    const reported = () => receiver.reported('/shop', order.requestId).filter((one) => isSigned(one, [secret]));
    return {
      tuning: withWebhooks({}),
      before: async () => {
        receiver.forget();
        asksFrom = Number.POSITIVE_INFINITY;
      },
      act: async (scene) => {
        const shop = await registered(scene, `${receiver.url}/shop`);
        secret = shop.secret;
        receiver.status = 503;
        await deposit(order);
        await scene.insist('it refuses', async () => {
          await world.a.mine();
          if (receiver.refused === 0) throw new Error('nothing came');
        });
        receiver.status = 204;
        await scene.insist('the event is delivered', async () => {
          await world.b.mine();
          if (!isReported(reported(), 'success')) throw new Error('not all came');
        });
        await untilNothingPends(scene, shop);
        asksFrom = reported().length;
        await asked(scene, 'POST', `/webhooks/endpoints/${shop.id}/replay`, { since: 0 });
      },
      done: async (scene) => {
        const ids = (some: readonly Arrival[]) => new Set(some.map((one) => reportedIn(one).id));
        const again = ids(reported().slice(asksFrom));
        return (await ended(order, 'success')(scene)) && [...ids(reported())].every((id) => again.has(id));
      },
      judge: async () => [...wrongIn('shop', reported()), ...wrongIn('shop, again,', reported().slice(asksFrom))],
      end: () => receiver.close(),
    };
  },
};

export const removedEndpoint: Flow = {
  name: 'secret rotated, endpoint removed',
  only: REPORTING,
  prepare: async (world) => {
    const receiver = await WebhookReceiver.start();
    const orders = [await keyed(world), await keyed(world)] as const;
    const secrets: string[] = [];
    let removedAt = Number.POSITIVE_INFINITY;
    const reported = ({ requestId }: Order) =>
      receiver.reported('/kept', requestId).filter((one) => isSigned(one, secrets));
    return {
      tuning: withWebhooks({}),
      before: async () => {
        receiver.forget();
        secrets.length = 0;
        removedAt = Number.POSITIVE_INFINITY;
      },
      act: async (scene) => {
        receiver.refuses = '/removed';
        const kept = await registered(scene, `${receiver.url}/kept`);
        await registered(scene, `${receiver.url}/removed`);
        secrets.push(kept.secret);
        await deposit(orders[0]);
        await scene.insist('one receives it, and one refuses', async () => {
          await Promise.all(world.chains.map((chain) => chain.mine()));
          if (!isReported(reported(orders[0]), 'success') || receiver.refused === 0) throw new Error('not yet');
        });
        const made = await asked<{ secret: string }>(scene, 'POST', `/webhooks/endpoints/${kept.id}/rotate`, {
          overlapSeconds: 600,
        });
        secrets.push(made.secret);
        for (const one of await registeredAt(scene, `${receiver.url}/removed`)) await gone(scene, one);
        removedAt = Date.now();
        await sleep(AFTER_REMOVAL_MS);
        receiver.refuses = '';
        await deposit(orders[1]);
      },
      done: async (scene) =>
        (await Promise.all(orders.map((order) => ended(order, 'success')(scene)))).every(Boolean) &&
        orders.every((order) => isReported(reported(order), 'success')),
      judge: async () => [
        ...orders.flatMap((order) => wrongIn('kept', reported(order))),
        ...receiver.posts
          .filter(({ path, at }) => path === '/removed' && at > removedAt + AFTER_REMOVAL_MS)
          .map(({ at }) => `removed was posted to ${at - removedAt} ms after its removal was answered`),
      ],
      end: () => receiver.close(),
    };
  },
};

const keyed = (world: World): Promise<Order> => world.order({ amount: SMALL, keyed: true });

async function registered(scene: Scene, url: string): Promise<Registered> {
  const made = await asked<{ endpoint: { id: string }; secret: string }>(scene, 'POST', '/webhooks/endpoints', { url });
  return { id: made.endpoint.id, secret: made.secret };
}

/** Several where the answer to the first registration was lost. */
async function registeredAt(scene: Scene, url: string): Promise<readonly Pick<Registered, 'id'>[]> {
  const { endpoints } = await asked<{ endpoints: { id: string; url: string }[] }>(scene, 'GET', '/webhooks/endpoints');
  return endpoints.filter((one) => one.url === url);
}

/** Removed by this call, or by one whose response was lost. */
async function gone({ world, insist }: Scene, { id }: Pick<Registered, 'id'>): Promise<void> {
  await insist('it is removed', async () => {
    const { status } = await world.rest.call('POST', `/webhooks/endpoints/${id}/remove`, { key: world.rest.apiKey });
    if (status !== 200 && status !== 404) throw new Error(`it was answered ${status}`);
  });
}

async function untilNothingPends(scene: Scene, { id }: Registered): Promise<void> {
  const path = `/webhooks/deliveries?endpointId=${id}&state=pending`;
  await scene.insist('nothing is pending', async () => {
    const { deliveries } = await asked<Log>(scene, 'GET', path);
    if (deliveries.length > 0) throw new Error(`${deliveries.length} are`);
  });
}

/** By any of them. Events cannot be verified if the registration got no response. */
function isSigned(arrival: Arrival, secrets: readonly string[]): boolean {
  return secrets.some((secret) => {
    try {
      verify(secret, arrival);
      return true;
    } catch {
      return false;
    }
  });
}
