import { keccak256, toHex } from 'viem';
import { beginToRefuse } from '../../support/contracts.js';
import { approve, depositApproved, fund, newAddress } from '../../support/wallet.js';
import type { Order } from '../../support/world.js';
import { type Flow, ORDER_TTL_S, QUOTE_VALIDITY_S } from '../flow.js';
import { deposit, ended, SMALL, tokenOrder, usd } from './orders.js';

export const bridge: Flow = {
  name: 'bridge',
  prepare: async () => {
    let order: Order;
    return {
      act: async (scene) => {
        const user = await scene.world.user();
        order = await scene.insist('a quote', () => scene.world.order({ amount: SMALL, user }));
        const txHash = await deposit(order);
        await scene.insist('a hint is taken', async () => {
          const body = { chainId: order.from.id, txHash, requestId: order.requestId };
          const { status } = await scene.world.rest.call('POST', '/transactions/index', { body });
          if (status !== 200) throw new Error(`the hint was answered ${status}`);
        });
      },
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

export const firstDay: Flow = { ...bridge, name: 'first day', firstDay: true };

export const overpaid: Flow = {
  name: 'exact output, overpaid',
  prepare: async (world) => {
    const order = await tokenOrder(world, { usd: '1000', tradeType: 'EXACT_OUTPUT' });
    return {
      act: async () => void (await deposit(order, usd('1500'))),
      done: async (scene) =>
        (await scene.filled(order)) && (await scene.refunded(order)) && ended(order, 'success')(scene),
    };
  },
};

export const underpaid: Flow = {
  name: 'underpaid',
  prepare: async (world) => {
    const order = await tokenOrder(world, { usd: '1000' });
    return {
      act: async () => void (await deposit(order, usd('500'))),
      done: async (scene) => (await scene.refunded(order)) && ended(order, 'refund')(scene),
    };
  },
};

export const failingFill: Flow = {
  name: 'refund of a failing fill',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async () => {
        await beginToRefuse(world.b, order.recipient);
        await deposit(order);
      },
      done: async (scene) => (await scene.refunded(order)) && ended(order, 'refund')(scene),
    };
  },
};

export const oneChain: Flow = {
  name: 'within one chain',
  prepare: async (world) => {
    const order = await world.order({ to: world.a, amount: SMALL });
    return {
      act: async () => void (await deposit(order)),
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

export const duplicate: Flow = {
  name: 'duplicate deposit',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        await scene.awake();
        await deposit(order);
        await deposit(order);
      },
      done: async (scene) =>
        (await scene.filled(order)) && (await scene.refunded(order)) && ended(order, 'success')(scene),
    };
  },
};

export const orphan: Flow = {
  name: 'orphan',
  prepare: async (world) => {
    const payer = await world.user();
    const depositor = newAddress();
    const id = keccak256(toHex('never promised'));
    return {
      act: async () => void (await depositApproved(world.a, payer, { symbol: 'ETH', amount: SMALL, id, depositor })),
      done: async () => (await world.a.balance(depositor, 'ETH')) > 0n,
    };
  },
};

export const wrongCurrency: Flow = {
  name: 'wrong currency',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    await fund(world.a, order.user.address, { USDC: usd('700') });
    await approve(world.a, order.user, 'USDC', usd('700'));
    return {
      act: async () => void (await deposit(order, usd('700'), 'USDC')),
      done: async (scene) => (await scene.refunded(order, 'USDC')) && ended(order, 'refund')(scene),
    };
  },
};

export const wrongChain: Flow = {
  name: 'wrong chain',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    const { user, orderId: id } = order;
    await fund(world.b, user.address);
    return {
      act: async () => void (await depositApproved(world.b, user, { symbol: 'ETH', amount: SMALL, id })),
      done: ended(order, 'refund'),
    };
  },
};

export const late: Flow = {
  name: 'late deposit',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async () => {
        // The quote is as old as the preparation, an hour or more where the whole matrix is played.
        const leftS = Math.ceil((Number(order.quote.details.expiresAt) - Date.now()) / 1_000);
        await world.a.passTime(leftS + 100);
        await deposit(order);
      },
      done: async (scene) =>
        (await world.b.balance(order.recipient, 'ETH')) >= order.minimumOut && ended(order, 'success')(scene),
    };
  },
};

export const expired: Flow = {
  name: 'expired deposit',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async () => {
        await world.a.passTime(QUOTE_VALIDITY_S + ORDER_TTL_S + 800);
        await deposit(order);
      },
      done: async (scene) => (await scene.refunded(order)) && ended(order, 'refund')(scene),
    };
  },
};
