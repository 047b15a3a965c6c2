import type { Hash } from 'viem';
import { type Integrator, linkIntegrator } from '../../support/app-balance.js';
import type { Order, World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import type { Scene } from '../scene.js';
import { BALANCE, balances } from './app-balances.js';
import { deposit, ended, LARGE, largeUser } from './orders.js';

/** At risk, micro-USD: sixty coins at 2,000 dollars. */
const RISK = 120_000_000_000n;

async function largeOrder(world: World): Promise<Order> {
  return world.order({ amount: LARGE, user: await largeUser(world), keyed: true });
}

/** Accepted by this call, or by one whose response was lost. */
async function ask({ world: { rest }, insist }: Scene, { requestId }: Order): Promise<void> {
  await insist('the fast fill is accepted', async () => {
    const sent = { body: { requestId }, key: rest.apiKey };
    const { status, body } = await rest.call<{ readonly message: string }>('POST', '/fast-fill', sent);
    if (status !== 200 && !(status === 409 && body.message.includes('under way')))
      throw new Error(`it was answered ${status}: ${JSON.stringify(body)}`);
  });
}

/** Filled with one block of the two that its deposit would wait for: no other one is made until then. */
async function filledFast(scene: Scene, order: Order): Promise<Hash> {
  const hash = await deposit(order);
  await ask(scene, order);
  await order.from.mine();
  await scene.fillOf(order);
  return hash;
}

const reserved = (scene: Scene, integrator: Integrator, amount: bigint, left: bigint) =>
  scene.insist(`${amount} is reserved`, async () => {
    const now = await integrator.balance();
    if (now.reserved !== amount || now.balance !== left) throw new Error(`${now.reserved} of ${now.balance} is`);
  });

/** The reservation ends once, when the deposit is final. */
export const fastFill: Flow = {
  name: 'fast fill',
  prepare: async (world) => {
    const [integrator, order] = [await linkIntegrator(world, BALANCE), await largeOrder(world)];
    return {
      act: async (scene) => {
        await filledFast(scene, order);
        await reserved(scene, integrator, RISK, BALANCE);
      },
      done: async (scene) =>
        (await scene.filled(order)) &&
        (await ended(order, 'success')(scene)) &&
        (await balances(world, integrator, BALANCE)),
    };
  },
};

/** What was reserved is taken, once, and credited when the deposit returns, once. */
export const reorgedFastFill: Flow = {
  name: 'fast fill of a reorged deposit',
  prepare: async (world) => {
    const [integrator, order] = [await linkIntegrator(world, BALANCE), await largeOrder(world)];
    return {
      act: async (scene) => {
        const hash = await filledFast(scene, order);
        const bytes = await scene.bytesOf(world.a, hash);
        await reserved(scene, integrator, RISK, BALANCE);
        await world.a.reorgOut(hash);
        await scene.insist('it is taken', async () => {
          await Promise.all(world.chains.map((chain) => chain.mine()));
          const now = await integrator.balance();
          if (now.reserved !== 0n || now.balance !== BALANCE - RISK) throw new Error(`${now.balance} is left`);
        });
        await world.a.client.sendRawTransaction({ serializedTransaction: bytes });
      },
      done: async (scene) =>
        (await scene.filled(order)) &&
        (await ended(order, 'success')(scene)) &&
        (await balances(world, integrator, BALANCE)),
    };
  },
};
