import { parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delivered, KINDS, refunded, sideOf, worth } from '../support/families/bitcoin.js';
import type { Payer } from '../support/families/side.js';
import { type Ask, FamiliesWorld } from '../support/families/world.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { reportsWholeCourse } from '../support/whole-course.js';

let world: FamiliesWorld;
let receiver: WebhookReceiver;
let secret: string;

describe.skipIf(KINDS.length === 0)('posts about transfers of every family', () => {
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    const plugins = [{ use: '@causeway/plugin-webhooks', options: {} }];
    world = await FamiliesWorld.start({ svm: 1, bvm: KINDS.slice(0, 1).map((kind) => ({ kind })), plugins });
    const body = { url: `${receiver.url}/hook` };
    const made = await world.rest.call<{ secret: string }>('POST', '/webhooks/endpoints', {
      body,
      key: world.rest.apiKey,
    });
    expect(made.status).toBe(200);
    secret = made.body.secret;
  });
  afterAll(async () => {
    await world?.close();
    receiver?.close();
  });

  const isReported = (requestId: string, last: string) =>
    reportsWholeCourse({ receiver, path: '/hook', secret }, requestId, last);

  async function transfer<P extends Payer>(ask: Ask<P>): Promise<void> {
    const order = await world.order({ ...ask, keyed: true });
    await order.from.pay(order.payer, order.quote);
    await delivered(world, order);
    await isReported(order.requestId, 'success');
  }

  const bitcoin = () => sideOf(world, KINDS[0] as (typeof KINDS)[number]);

  it('verify, and report each course in order: between EVM and SVM', async () => {
    await transfer({ from: world.evm, to: world.s, amount: parseEther('0.1') });
    await transfer({ from: world.s, to: world.evm, input: 'USDC', output: 'USDC', amount: parseUnits('20', 6) });
  });

  it('the same to and from a Bitcoin-type chain', async () => {
    await transfer({ from: world.evm, to: bitcoin(), amount: parseEther('0.3') });
    await transfer({ from: bitcoin(), to: world.s, output: 'USDC', amount: worth(bitcoin(), 500) });
  });

  it('the same of what is refunded', async () => {
    const body = { referrer: 'debug-force-refund' };
    const order = await world.order({ from: world.s, to: world.evm, amount: parseUnits('2', 9), keyed: true, body });
    await order.from.pay(order.payer, order.quote);
    await refunded(world, order, 'UNKNOWN');
    await isReported(order.requestId, 'refund');
  });
});
