import { beginToRefuse } from '../../support/contracts.js';
import { newAddress } from '../../support/wallet.js';
import type { Flow } from '../flow.js';
import { deposit, ended, tokenOrder, usd } from './orders.js';

const PRICE = 1_000n;
const ASK = { usd: '1000', body: { topupGas: true } } as const;

/** A token, and coin in a separate transaction: each exactly once before the order is a success. */
export const gasTopUp: Flow = {
  name: 'gas top-up',
  prepare: async (world) => {
    const order = await tokenOrder(world, ASK);
    const coin = BigInt(order.quote.details.currencyGasTopup?.amount ?? '0');
    return {
      act: async () => void (await deposit(order)),
      done: async (scene) =>
        coin > 0n &&
        (await order.to.balance(order.recipient, 'ETH')) === coin &&
        (await scene.filled(order)) &&
        ended(order, 'success')(scene),
    };
  },
};

/** One transaction fills both ids once, and what the calls leave goes to the recipient. */
export const topUpForCalls: Flow = {
  name: 'top-up for calls',
  prepare: async (world) => {
    const called = newAddress();
    const order = await tokenOrder(world, {
      usd: '1000',
      body: { ...ASK.body, txs: [{ to: called, value: PRICE.toString(), data: '0x' }] },
    });
    const coin = BigInt(order.quote.details.currencyGasTopup?.amount ?? '0');
    return {
      act: async () => void (await deposit(order)),
      done: async (scene) => {
        const [paid, rest] = await Promise.all([called, order.recipient].map((who) => order.to.balance(who, 'ETH')));
        const both = paid === PRICE && rest === coin - PRICE;
        return both && (await scene.filled(order)) && ended(order, 'success')(scene);
      },
    };
  },
};

/** The recipient accepts only the token: the coin's part is refunded once, and the order is a success. */
export const refusedGasTopUp: Flow = {
  name: 'gas top-up that is refused',
  prepare: async (world) => {
    const order = await tokenOrder(world, ASK);
    world.excuse(order, { partBack: usd('3') });
    return {
      act: async () => {
        await beginToRefuse(world.b, order.recipient);
        await deposit(order);
      },
      done: async (scene) =>
        (await scene.filled(order)) && (await scene.refunded(order)) && ended(order, 'success')(scene),
    };
  },
};
