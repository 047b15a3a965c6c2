import type { Hash } from 'viem';
import type { Quote } from '../../support/rest.js';
import { movePool } from '../../support/venues.js';
import { newAddress, pay, sendItem, type User } from '../../support/wallet.js';
import type { Order, World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import type { Scene } from '../scene.js';
import { ended, usd } from './orders.js';

/** More than a transaction uses that reverts for its price: wallets that simulate would not send it. */
const GAS = '900000';

/** Asks while the service is being killed. The executor pays the solver and an integrator a fee. */
export function ownOrder(scene: Scene, user: User, shop: string, output: string): Promise<Order> {
  const { world } = scene;
  const body = { appFees: [{ recipient: shop, fee: '100' }] };
  const ask = { ...{ from: world.a, to: world.a, input: 'USDC', output }, amount: usd('500'), user, body };
  return scene.insist('a quote for its payer to execute', async () => {
    const order = await world.order(ask);
    if (order.quote.steps.at(-1)?.id !== 'swap') throw new Error('the inventory was offered');
    return order;
  });
}

export function feesOf(quote: Quote): { readonly service: bigint; readonly app: bigint } {
  const fees = quote.fees as unknown as Readonly<Record<'relayerService' | 'app', { readonly amount: string }>>;
  return { service: BigInt(fees.relayerService.amount), app: BigInt(fees.app.amount) };
}

export async function owed(world: World, shop: string): Promise<readonly string[]> {
  const { body } = await world.rest.call<Record<string, unknown>>('GET', `/app-fees/${shop}/balances`);
  return (body as unknown as { balances: readonly { amount: string }[] }).balances.map(({ amount }) => amount);
}

export const payerSwap: Flow = {
  name: 'swap by its payer',
  venues: true,
  tuning: { payerSwaps: true },
  prepare: async (world) => {
    const [user, shop] = [await world.user({ USDC: usd('1000') }), newAddress()];
    let order: Order;
    return {
      act: async (scene) => {
        order = await ownOrder(scene, user, shop, 'ETH');
        const { service, app } = feesOf(order.quote);
        await world.a.receipt(await pay(world.a, user, order.quote));
        world.toppedUp(world.a, 'USDC', service + app);
      },
      done: async (scene) => {
        const { app } = feesOf(order.quote);
        return (
          (await scene.filled(order)) &&
          (await ended(order, 'success')(scene)) &&
          (await owed(world, shop)).join() === app.toString()
        );
      },
    };
  },
};

/** The chain emits no event for it, so the client reports it, and is not asked again. */
export const revertedOwnSwap: Flow = {
  name: 'reverted swap by its payer',
  venues: true,
  tuning: { payerSwaps: true },
  prepare: async (world) => {
    const [user, shop] = [await world.user({ USDC: usd('1000') }), newAddress()];
    let order: Order;
    return {
      act: async (scene) => {
        order = await ownOrder(scene, user, shop, 'GOV');
        const hash = await reverts(world, order);
        await reports(scene, order, hash);
      },
      done: async (scene) =>
        (await ended(order, 'failure')(scene)) &&
        (await world.a.balance(user.address, 'USDC')) === usd('1000') &&
        (await owed(world, shop)).length === 0,
    };
  },
};

async function reverts({ a: chain }: World, { quote, user }: Order): Promise<Hash> {
  await movePool({ chain, symbols: ['WETH', 'GOV'] }, 2_000n * 10n ** 18n);
  await movePool({ chain, symbols: ['USDC', 'GOV'], fee: 3_000 }, usd('4000000'));
  const items = quote.steps.flatMap((step) => step.items);
  const last = items.at(-1);
  if (last === undefined) throw new Error('the quote has no steps');
  for (const item of items.slice(0, -1)) await chain.receipt(await sendItem(chain, user, item));
  const hash = await sendItem(chain, user, { ...last, data: { ...last.data, gas: GAS } });
  const { status } = await chain.receipt(hash);
  if (status !== 'reverted') throw new Error('the swap was to revert');
  return hash;
}

function reports(scene: Scene, { quote, requestId, from }: Order, hash: Hash): Promise<void> {
  const data = quote.steps.at(-1)?.items.at(-1)?.data;
  const body = { requestId, chainId: `${from.id}`, tx: JSON.stringify({ ...data, txHash: hash }) };
  return scene.insist('the hint is taken', async () => {
    const { status } = await scene.world.rest.call('POST', '/transactions/single', { body });
    if (status !== 200) throw new Error(`it was answered ${status}`);
  });
}
