import { parseEther } from 'viem';
import { pay, type User } from '../../support/wallet.js';
import type { Order } from '../../support/world.js';
import type { Flow } from '../flow.js';
import type { Scene } from '../scene.js';
import { ended } from './orders.js';

/** Accepted only through a swap within the deposit. */
const GOV = 'GOV';
const AMOUNT = parseEther('20');
const TUNING = { payerSwaps: true, swappedIn: [GOV] } as const;

/** Asks while the service is being killed: no quote before pools are known. */
function paidInGov(scene: Scene, user: User, body: Record<string, unknown>): Promise<Order> {
  const { world } = scene;
  const ask = { ...{ from: world.a, to: world.b, input: GOV, output: 'USDC' }, amount: AMOUNT, user, body };
  return scene.insist('a quote for what is swapped in', () => world.order(ask));
}

function flow(
  name: string,
  body: Record<string, unknown>,
  isDone: (order: Order, scene: Scene) => Promise<boolean>,
): Flow {
  const prepare: Flow['prepare'] = async (world) => {
    const user = await world.user({ [GOV]: parseEther('50') });
    let order: Order;
    return {
      act: async (scene) => {
        order = await paidInGov(scene, user, body);
        await world.a.receipt(await pay(world.a, user, order.quote));
      },
      done: (scene) => isDone(order, scene),
    };
  };
  return { name, venues: true, tuning: TUNING, prepare };
}

/** The swap's output is the deposit: filled once, nothing refunded. */
export const swappedIn = flow(
  'deposit that is swapped in',
  {},
  async (order, scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
);

/** Swap-back and plain refund are one payment: refunded once, in the paid currency only. */
export const swappedBack = flow(
  'refund of what was swapped in',
  { referrer: 'debug-force-refund' },
  async (order, scene) => {
    const { from, refundTo } = order;
    const back = await from.balance(refundTo, GOV);
    const others = await Promise.all(['USDC', 'WETH', 'ETH'].map((symbol) => from.balance(refundTo, symbol)));
    // Two swaps and the gas take less than a tenth.
    const isWhole = back > (AMOUNT * 9n) / 10n && back < AMOUNT;
    return isWhole && others.every((units) => units === 0n) && ended(order, 'refund')(scene);
  },
);
