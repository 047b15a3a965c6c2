import type { Order, World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import { deposit, ended, SMALL } from './orders.js';

/**
 * At a time after `since`: no capacity is held for unpaid quotes or promised to fills.
 *
 * @param since ms since 1970.
 */
async function keepsNothing({ rest }: World, since: number): Promise<boolean> {
  const response = await fetch(`${rest.baseUrl}/metrics`, { headers: { 'x-admin-key': rest.adminKey } });
  const reported = [...(await response.text()).matchAll(/^causeway_engine_(\w+)(?:\{.*\})? (.+)$/gm)];
  const of = (name: string) => reported.filter(([, one]) => one === name).map(([, , value]) => Number(value));
  const reserved = of('inventory_reserved_units');
  return (
    (of('books_read_timestamp_seconds')[0] ?? 0) * 1_000 > since &&
    of('earmarked_usd')[0] === 0 &&
    reserved.length > 0 &&
    reserved.every((units) => units === 0)
  );
}

/**
 * One fixed-rate quote is paid, one not: the capacity held for both is released once. A start outlasts their
 * validity, so the paid one is usually filled after that.
 */
export const fixedRate: Flow = {
  name: 'fixed rate',
  tuning: { fixedRateValidity: '3s' },
  prepare: async () => {
    let order: Order;
    let quotedAt = 0;
    return {
      act: async (scene) => {
        const { world } = scene;
        const user = await world.user();
        const ask = { amount: SMALL, user, body: { fixedRate: '0' }, keyed: true };
        await scene.insist('an unpaid quote', () => world.order(ask));
        order = await scene.insist('a quote', () => world.order(ask));
        quotedAt = Date.now();
        await deposit(order);
      },
      done: async (scene) =>
        (await scene.filled(order)) &&
        (await ended(order, 'success')(scene)) &&
        (await keepsNothing(scene.world, quotedAt)),
    };
  },
};
