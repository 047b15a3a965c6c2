import { afterEach, beforeEach, expect, it } from 'vitest';
import { OpenOrders } from '../../src/capabilities/deposit-addresses/open-orders.js';
import type { DepositObservation } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { apiError } from '../../src/errors/api-error.js';
import { Addresses } from './support/addresses.js';
import { NOW, quoteBody } from './support/quotes.js';
import { Scene } from './support/scene.js';

/** More than one round quotes. */
const SLOW_TRANSFERS = 25;

let scene: Scene;
let addresses: Addresses;
let honest: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  addresses = await Addresses.on(scene);
  honest = await addresses.promised(1, 'open');
});

afterEach(async () => {
  await scene.close();
});

/** Transfers to an address of a stranger, whose recipient makes each trial of a fill time out. */
async function slow(): Promise<QuoteBody> {
  const body = await addresses.promised(2, 'open', { recipient: 'slow' });
  const all = Array.from({ length: SLOW_TRANSFERS }, (_, n) => addresses.transfer(body, `a-slow-${n}`));
  await scene.sees(all);
  return body;
}

async function paid(): Promise<DepositObservation> {
  const block = { height: 110, id: 'a-110', timestamp: NOW };
  const seen = addresses.transfer(honest, 'b-honest', { amount: 40_000n, block });
  await scene.sees([seen]);
  return seen;
}

const good = () => quoteBody(7, { amountIn: '40000', amountOut: '39000', minimumAmount: '1' });

it('quotes a new transfer before those that could not be quoted, so that they do not keep it waiting', async () => {
  const { recipient } = await slow();
  await paid();
  const asked: string[] = [];
  const orders = new OpenOrders(scene.context, async (ask) => {
    asked.push(ask.recipient ?? '');
    if (ask.recipient !== recipient) return good();
    scene.now += 2_000;
    return apiError('REQUEST_TIMED_OUT');
  });
  await orders.round(scene.context, scene.origin);
  // All of them are due again.
  scene.now += 5_000;
  await orders.round(scene.context, scene.origin);
  expect(asked.slice(0, SLOW_TRANSFERS + 1)).toContain(honest.recipient);
});

it('quotes transfers at the same time, so that one that takes long keeps no other waiting', async () => {
  await scene.sees([addresses.transfer(await addresses.promised(2, 'open', { recipient: 'slow' }), 'a-slow')]);
  const seen = await paid();
  let answer: (value: unknown) => void = () => undefined;
  const never = new Promise((resolve) => {
    answer = resolve;
  });
  const orders = new OpenOrders(scene.context, async (ask) => {
    if (ask.recipient !== 'slow') return good();
    await never;
    return apiError('REQUEST_TIMED_OUT');
  });
  const round = orders.round(scene.context, scene.origin);
  const order = (await scene.requestOf(seen)).orderId;
  for (let tries = 0; tries < 100 && !(await scene.leg(legId.fill(order))); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await scene.leg(legId.fill(order))).toMatchObject({ covers: 40_000n });
  answer(undefined);
  await round;
});

it('tries a transfer less often the longer it cannot be quoted', async () => {
  await scene.sees([addresses.transfer(honest, 'honest')]);
  let asked = 0;
  const orders = new OpenOrders(scene.context, async () => {
    asked += 1;
    return apiError('REQUEST_TIMED_OUT');
  });
  for (let seconds = 0; seconds < 300; seconds += 1) {
    scene.now += 1_000;
    await orders.round(scene.context, scene.origin);
  }
  expect(asked).toBeGreaterThan(10);
  expect(asked).toBeLessThan(30);
});
