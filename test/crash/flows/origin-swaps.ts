import { parseEther } from 'viem';
import { pay, type User } from '../../support/wallet.js';
import type { Order, World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import type { Scene } from '../scene.js';
import { ended } from './orders.js';

/** A token that the solver takes only by way of a swap within the deposit. */
const GOV = 'GOV';
const AMOUNT = parseEther('20');
const TUNING = { ownSwaps: true, swappedIn: [GOV] } as const;

/** The quote is asked for while the service is killed: before anything is known of pools there is none. */
function paidInGov(scene: Scene, user: User, body: Record<string, unknown>): Promise<Order> {
  const { world } = scene;
  const ask = { ...{ from: world.a, to: world.b, input: GOV, output: 'USDC' }, amount: AMOUNT, user, body };
  return scene.insist('a quote for what is swapped in', () => world.order(ask));
}

const payer = (world: World): Promise<User> => world.user({ [GOV]: parseEther('50') });

/** What came out of the swap is what was deposited: filled once, and nothing of it goes back. */
export const swappedIn: Flow = {
  name: 'deposit that is swapped in',
  venues: true,
  tuning: TUNING,
  prepare: async (world) => {
    const user = await payer(world);
    let order: Order;
    return {
      act: async (scene) => {
        order = await paidInGov(scene, user, {});
        await world.a.receipt(await pay(world.a, user, order.quote));
      },
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

/** Exchange and plain refund are one payment: it comes back once, as what was paid. */
export const swappedBack: Flow = {
  name: 'refund of what was swapped in',
  venues: true,
  tuning: TUNING,
  prepare: async (world) => {
    const user = await payer(world);
    let order: Order;
    return {
      act: async (scene) => {
        order = await paidInGov(scene, user, { referrer: 'debug-force-refund' });
        await world.a.receipt(await pay(world.a, user, order.quote));
      },
      done: async (scene) => {
        const back = await world.a.balance(order.refundTo, GOV);
        // Two swaps and the gas take less than a tenth.
        return back > (AMOUNT * 9n) / 10n && back < AMOUNT && ended(order, 'refund')(scene);
      },
    };
  },
};
