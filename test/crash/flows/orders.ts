import { parseEther, parseUnits } from 'viem';
import { approve, depositApproved, type User } from '../../support/wallet.js';
import type { Ask, Order, World } from '../../support/world.js';
import type { Scene } from '../scene.js';

export const usd = (amount: string) => parseUnits(amount, 6);
export const SMALL = parseEther('1');
export const LARGE = parseEther('60');

export function deposit(order: Order, amount = order.amountIn, symbol = order.input) {
  return depositApproved(order.from, order.user, { symbol, amount, id: order.orderId });
}

export async function tokenOrder(world: World, ask: Omit<Ask, 'amount'> & { readonly usd: string }): Promise<Order> {
  const order = await world.order({ ...ask, input: 'USDC', amount: usd(ask.usd) });
  await approve(order.from, order.user, 'USDC', usd('1000000'));
  return order;
}

export const largeUser = (world: World): Promise<User> => world.user({ ETH: LARGE * 3n });

export const ended =
  (order: Order, status: 'success' | 'refund' | 'failure') =>
  async (scene: Scene): Promise<boolean> =>
    (await scene.status(order)) === status;
