import { parseUnits } from 'viem';
import { FIXED_RATE } from '../../support/config.js';
import { newAddress } from '../../support/wallet.js';
import type { Order, World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import { deposit, ended, SMALL } from './orders.js';

/** A quote that has all kept for it that its key may have: there is none while anything else is kept. */
async function askForAll(world: World): Promise<boolean> {
  const asked = await world.rest.call('POST', '/quote/v2', {
    body: {
      user: newAddress(),
      originChainId: world.a.id,
      destinationChainId: world.b.id,
      originCurrency: world.a.currency('USDC'),
      destinationCurrency: world.b.currency('USDC'),
      amount: parseUnits(FIXED_RATE.maxHeldUsdPerKey, 6).toString(),
      tradeType: 'EXACT_INPUT',
      fixedRate: '0',
    },
    key: world.rest.apiKey,
  });
  return asked.status === 200;
}

/** One quote with a fixed rate is paid and one is left: what was kept for both is given back, once. */
export const fixedRate: Flow = {
  name: 'fixed rate',
  tuning: { fixedRateValidity: '4s' },
  prepare: async () => {
    let order: Order;
    return {
      act: async (scene) => {
        const { world } = scene;
        const user = await world.user();
        const ask = { amount: SMALL, user, body: { fixedRate: '0' }, keyed: true };
        await scene.insist('a quote that nobody pays', () => world.order(ask));
        order = await scene.insist('a quote', () => world.order(ask));
        await deposit(order);
      },
      done: async (scene) =>
        (await scene.filled(order)) && (await ended(order, 'success')(scene)) && (await askForAll(scene.world)),
    };
  },
};
