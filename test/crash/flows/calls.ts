import { type Address, toHex } from 'viem';
import { beginToRefuse } from '../../support/contracts.js';
import { newAddress } from '../../support/wallet.js';
import type { World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import { deposit, ended, SMALL } from './orders.js';

const PRICE = 1_000n;

/** An order whose fill pays an account by a call, and its recipient the rest. */
function callOrder(world: World, called: Address) {
  return world.order({ amount: SMALL, body: { txs: [{ to: called, value: toHex(PRICE), data: '0x' }] } });
}

export const calls: Flow = {
  name: 'fill with calls',
  prepare: async (world) => {
    const called = newAddress();
    const order = await callOrder(world, called);
    return {
      act: async () => void (await deposit(order)),
      done: async (scene) => {
        const [paid, rest] = await Promise.all([called, order.recipient].map((who) => order.to.balance(who, 'ETH')));
        return paid === PRICE && rest === order.amountOut - PRICE && ended(order, 'success')(scene);
      },
    };
  },
};

export const failingCall: Flow = {
  name: 'refund of a failing call',
  prepare: async (world) => {
    const called = newAddress();
    const order = await callOrder(world, called);
    return {
      act: async () => {
        await beginToRefuse(world.b, called);
        await deposit(order);
      },
      done: async (scene) => (await scene.paidBack(order)) && ended(order, 'refund')(scene),
    };
  },
};
