import type { Order, World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import { deposit, ended, SMALL } from './orders.js';

/** Both quotes are over by then, were looked at, and what a process tells of that is of later. */
const OVER_MS = 12_000 + 8_000;

/** What a process tells of what is kept for unpaid quotes, once it has read it. */
async function keepsNothing({ rest }: World): Promise<boolean> {
  const response = await fetch(`${rest.baseUrl}/metrics`, { headers: { 'x-admin-key': rest.adminKey } });
  return /^causeway_engine_earmarked_usd 0$/m.test(await response.text());
}

/** One quote with a fixed rate is paid and one is left: what was kept for both is given back, once. */
export const fixedRate: Flow = {
  name: 'fixed rate',
  // Blocks are made faster than seconds pass, so that the chains' clocks run ahead of a service that has to start again.
  tuning: { fixedRateValidity: '12s', orderTtl: '10m' },
  prepare: async () => {
    let order: Order;
    let quotedAt = 0;
    return {
      act: async (scene) => {
        const { world } = scene;
        const user = await world.user();
        const ask = { amount: SMALL, user, body: { fixedRate: '0' }, keyed: true };
        await scene.insist('a quote that nobody pays', () => world.order(ask));
        order = await scene.insist('a quote', () => world.order(ask));
        quotedAt = performance.now();
        await deposit(order);
      },
      done: async (scene) =>
        performance.now() - quotedAt > OVER_MS &&
        (await scene.filled(order)) &&
        (await ended(order, 'success')(scene)) &&
        (await keepsNothing(scene.world)),
    };
  },
};
