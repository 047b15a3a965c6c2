import { postPermit, signPermit } from '../../support/permits.js';
import { fund, newUser } from '../../support/wallet.js';
import type { Order } from '../../support/world.js';
import type { Flow } from '../flow.js';
import { ended, usd } from './orders.js';

/** Other flows cover what follows the deposit. */
const POINTS = /permits|accept|send|settle|sign|prepare|check|judge|offer|track|look/;

export const permitDeposit: Flow = {
  name: 'deposit by a permit',
  only: POINTS,
  tuning: { gasless: true, permits: true },
  prepare: async (world) => {
    const user = newUser();
    await fund(world.a, user.address, { USDC: usd('100'), ETH: 0n });
    let order: Order;
    return {
      act: async (scene) => {
        const ask = { from: world.a, input: 'USDC', amount: usd('40'), user, body: { usePermit: true } };
        order = await scene.insist('a quote with a permit', () => world.order(ask));
        const signature = await signPermit(user, order.quote);
        await scene.insist('the permit is taken', () => postPermit(world, order.quote, signature));
      },
      done: async (scene) =>
        (await scene.filled(order)) &&
        (await ended(order, 'success')(scene)) &&
        (await world.a.balance(user.address, 'USDC')) === usd('60'),
    };
  },
};
