import { parseUnits } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Manner, OddReceiver } from '../support/odd-receiver.js';
import { until } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { type Arrival, reportedIn, verify } from '../support/webhook-receiver.js';
import { type Order, World } from '../support/world.js';

const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
const TOTAL_MS = 1_200;

/** First response of each; all accept later. */
const MANNERS: readonly Manner[] = [
  ...(['refuses', 'redirects', 'hangs', 'drips', 'half-closes'] as const),
  ...(['half-closes within the answer', 'resets', 'is slow', 'takes'] as const),
];

let world: World;
let receivers: ReadonlyMap<Manner, OddReceiver>;

beforeAll(async () => {
  receivers = new Map(await Promise.all(MANNERS.map(async (manner) => [manner, await OddReceiver.start()] as const)));
  for (const [manner, receiver] of receivers) receiver.manner = manner;
  const endpoints = [...receivers].map(([manner, { url }]) => ({
    ...{ name: manner.replaceAll(' ', '-'), url, secrets: ['file:keys/webhooks'] },
  }));
  const limits = { connectMs: 500, answerMs: 900, totalMs: TOTAL_MS };
  world = await World.prepare({
    collectMinUsd: '1000000000',
    withPlugins: [{ use: '@causeway/plugin-webhooks', options: { endpoints, ...limits } }],
  });
  world.home.secret('keys/webhooks', SECRET);
  await world.boot();
});

afterAll(async () => {
  await world?.close();
  for (const receiver of receivers?.values() ?? []) receiver.close();
});

async function transferred(): Promise<Order> {
  // A chain without recent blocks is not offered.
  const order = await until('a quote is given', async () => {
    await world.finalise();
    return world.order({ input: 'USDC', amount: parseUnits('50', 6) });
  });
  await pay(order.from, order.user, order.quote);
  await world.becomes(order, 'success', { mining: true });
  return order;
}

const of = (manner: Manner, { requestId }: Order): readonly Arrival[] =>
  (receivers.get(manner)?.arrivals ?? []).filter((one) => reportedIn(one).data.requestId === requestId);
const hears = (manner: Manner, order: Order, ms = 20_000) =>
  until(
    `the one that ${manner} hears of the success`,
    () => of(manner, order).some((one) => reportedIn(one).data.status === 'success'),
    { ms },
  );
const sequences = (posts: readonly Arrival[]): readonly number[] => posts.map((one) => reportedIn(one).sequence);

it('harm no one but themselves, are sent nothing out of order, and are sent everything once they take it', async () => {
  const order = await transferred();
  for (const manner of ['takes', 'is slow'] as const) {
    await hears(manner, order);
    expect(sequences(of(manner, order))).toEqual(of(manner, order).map((_, n) => n + 1));
  }
  for (const [manner, receiver] of receivers) {
    if (manner === 'takes' || manner === 'is slow') continue;
    await until(`the one that ${manner} is asked again`, () => of(manner, order).length > 1, { ms: 30_000 });
    expect(new Set(sequences(of(manner, order)))).toEqual(new Set([1]));
    expect(new Set(of(manner, order).map((one) => one.path))).toEqual(new Set(['/']));
    receiver.manner = 'takes';
  }
  for (const manner of MANNERS) {
    await hears(manner, order, 60_000);
    const reported = of(manner, order);
    expect([manner, [...new Set(sequences(reported))]]).toEqual([manner, of('takes', order).map((_, n) => n + 1)]);
    for (const one of reported) verify(SECRET, one);
    // Every post of an event is identical, under the same id.
    const bodies = new Map(reported.map((one) => [one.headers['webhook-id'], one.body]));
    expect(reported.map(({ body }) => body)).toEqual(reported.map((one) => bodies.get(one.headers['webhook-id'])));
  }
  const next = await transferred();
  for (const manner of MANNERS) await hears(manner, next);
}, 180_000);
