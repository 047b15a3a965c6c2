import { beginToRefuse, deployRejecter } from '../../support/contracts.js';
import { sleep, until } from '../../support/until.js';
import { depositApproved, fund, newAddress } from '../../support/wallet.js';
import type { Order, World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import { type Scene, TIMEOUT_MS } from '../scene.js';
import { deposit, ended, LARGE, largeUser, SMALL, tokenOrder, usd } from './orders.js';

export const collect: Flow = {
  name: 'collect',
  tuning: { collectMinUsd: '1' },
  prepare: async (world) => {
    const order = await tokenOrder(world, { usd: '100' });
    return {
      act: async () => {
        await deposit(order);
        await world.finalise();
      },
      done: async (scene) =>
        (await scene.filled(order)) &&
        (await world.a.balance(world.a.depository, 'USDC')) === 0n &&
        ended(order, 'success')(scene),
    };
  },
};

export const batch: Flow = {
  name: 'batch',
  prepare: async (world) => {
    const orders: Order[] = [];
    for (let n = 0; n < 4; n += 1) orders.push(await world.order({ amount: SMALL }));
    const refused = await world.order({ amount: SMALL });
    return {
      act: async () => {
        await beginToRefuse(world.b, refused.recipient);
        await world.a.manual();
        for (const order of [...orders, refused]) await deposit(order);
        await world.a.automatic();
      },
      done: async (scene) => {
        const all = await Promise.all(orders.map((order) => scene.filled(order)));
        if (!all.every(Boolean) || !(await scene.refunded(refused))) return false;
        const settled = await Promise.all(orders.map((order) => ended(order, 'success')(scene)));
        return settled.every(Boolean) && ended(refused, 'refund')(scene);
      },
    };
  },
};

/**
 * Fills of one block share a router transaction. One recipient starts to refuse while it is in flight: it is left out
 * and refunded, the others are paid.
 */
export const leftOut: Flow = {
  name: 'left out of a shared fill',
  prepare: async (world) => {
    const orders: Order[] = [];
    for (let n = 0; n < 3; n += 1) orders.push(await world.order({ amount: SMALL }));
    orders.push(await tokenOrder(world, { usd: '1000' }));
    const refused = await world.order({ amount: SMALL });
    const refusing = await world.b.client.getCode({ address: await deployRejecter(world.b) });
    return {
      act: async (scene) => {
        await world.b.manual();
        await world.a.manual();
        for (const order of [...orders, refused]) await deposit(order);
        await world.a.automatic();
        await scene.insist('the fills are in the pool', async () => {
          if ((await scene.pool(world.b)).length === 0)
            throw new Error("the pool has none of the solver's transactions");
        });
        await world.b.client.setCode({ address: refused.recipient, bytecode: refusing ?? '0x' });
        await world.b.automatic();
      },
      done: async (scene) => {
        const all = await Promise.all(orders.map((order) => scene.filled(order)));
        if (!all.every(Boolean) || !(await scene.refunded(refused))) return false;
        // The one transaction has events for all, including the one left out.
        const reported = new Set(await Promise.all([...orders, refused].map((order) => scene.fillOf(order))));
        if (reported.size > 1) throw new Error(`they came with ${reported.size} transactions`);
        const settled = await Promise.all(orders.map((order) => ended(order, 'success')(scene)));
        return settled.every(Boolean) && ended(refused, 'refund')(scene);
      },
    };
  },
};

/** Sequential deposits; the first waits for depth until the block of the next one. */
export const steady: Flow = {
  name: 'steady deposits',
  prepare: async (world) => {
    const orders = [await world.order({ amount: LARGE, user: await largeUser(world) })];
    for (let n = 0; n < 3; n += 1) orders.push(await world.order({ amount: SMALL }));
    return {
      act: async (scene) => {
        await scene.awake();
        for (const order of orders) {
          await deposit(order);
          await sleep(130);
        }
      },
      done: async (scene) => {
        const settled = await Promise.all(orders.map(ofSuccess(scene)));
        return settled.every(Boolean);
      },
    };
  },
};

const ofSuccess = (scene: Scene) => async (order: Order) =>
  (await scene.filled(order)) && ended(order, 'success')(scene);

export const dust: Flow = {
  name: 'dust',
  tuning: { dustUsd: '0' },
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    const { user: payer } = order;
    return {
      act: async () => {
        world.excuse(order, { held: true });
        await world.a.manual();
        const nonce = await world.a.client.getTransactionCount({ address: payer.address });
        const wanted = Array.from({ length: 103 }, (_, n) => ({ symbol: 'ETH', amount: 1_000n, nonce: nonce + n }));
        await Promise.all(wanted.map((one) => depositApproved(world.a, payer, { ...one, id: order.orderId })));
        await world.a.automatic();
      },
      done: ended(order, 'failure'),
    };
  },
};

export const stopped: Flow = {
  name: 'polite stop',
  prepare: async (world) => {
    const orders = [await world.order({ amount: SMALL }), await world.order({ amount: SMALL })];
    return {
      act: async (scene) => {
        for (const order of orders) await deposit(order);
        await scene.mayBecome(orders[0] as Order, 'pending', 400);
        await scene.awake();
        await scene.stopService();
      },
      done: async (scene) => (await Promise.all(orders.map(ofSuccess(scene)))).every(Boolean),
    };
  },
};

export const paused: Flow = {
  name: 'paused',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        await scene.admin('pause', { scope: 'all' });
        await deposit(order);
        await scene.mayBecome(order, 'pending', 400);
        await scene.admin('resume', { scope: 'all' });
      },
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

export const operatorRefund: Flow = {
  name: 'refund by an operator',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        await scene.admin('pause', { scope: 'all' });
        await deposit(order);
        await world.finalise();
        await scene.admin('refund', { requestId: order.requestId });
        await scene.admin('resume', { scope: 'all' });
      },
      done: async (scene) => (await scene.refunded(order)) && ended(order, 'refund')(scene),
    };
  },
};

/** No payer to refund: an operator names one. */
export const heldAndReleased: Flow = {
  name: 'hold released by an operator',
  prepare: async (world) => {
    const to = newAddress();
    const refundTo = await deployRejecter(world.a);
    const order = await world.order({ amount: SMALL, refundTo, body: { referrer: 'debug-force-refund' } });
    return {
      act: async (scene) => {
        world.excuse(order, { refundTo: to });
        await deposit(order);
        const holdId = await scene.insist('a hold', async () => {
          await world.a.mine();
          const [hold] = (await scene.audit()).holds;
          if (hold === undefined) throw new Error('nothing is held');
          return hold.id;
        });
        await scene.admin('holds/release', { holdId, to });
      },
      done: async () => (await world.a.balance(to, 'ETH')) > 0n,
    };
  },
};

/**
 * Restored from an older database without deposit, fill and refund. Lanes wait until their sends are matched, and
 * nothing is paid again.
 */
export const oldDatabase: Flow = {
  name: 'old database',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    const refunded = await world.order({ amount: SMALL });
    const next = await world.order({ amount: SMALL });
    const paid = async () =>
      (await order.to.balance(order.recipient, order.output)) > 0n &&
      (await refunded.from.balance(refunded.refundTo, refunded.input)) > 0n;
    return {
      before: async (forgotten) => {
        await world.b.client.mine({ blocks: 128 });
        await world.a.client.mine({ blocks: 128 });
        await forgotten(async () => {
          await deposit(order);
          await deposit(refunded, SMALL / 2n);
          await until(
            'both are paid',
            async () => {
              await world.a.mine();
              return paid();
            },
            { ms: TIMEOUT_MS },
          );
        });
      },
      act: async () => void (await deposit(next)),
      done: async (scene) =>
        (await Promise.all([order, next].map(ofSuccess(scene)))).every(Boolean) && ended(refunded, 'refund')(scene),
    };
  },
};

export const quorum: Flow = {
  name: 'quorum',
  tuning: {
    edit: (document) => ({
      ...document,
      plugins: (document['plugins'] as { readonly options: { readonly chains?: readonly object[] } }[]).map((plugin) =>
        plugin.options.chains === undefined
          ? plugin
          : { ...plugin, options: { ...plugin.options, chains: plugin.options.chains.map(asksTwo) } },
      ),
    }),
  },
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async () => void (await deposit(order)),
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

function asksTwo(chain: object): object {
  const [rpc] = (chain as { readonly rpc: readonly { readonly http: string }[] }).rpc;
  const other = { http: rpc?.http.replace('127.0.0.1', 'localhost') };
  return { ...chain, rpc: [rpc, other], quorum: { aboveUsd: 100 } };
}

/** Becomes inventory exactly once; the audit of each play shows it. */
export const topUp: Flow = {
  name: 'top-up',
  tuning: {
    edit: (document) => ({
      ...document,
      service: { ...(document['service'] as Record<string, unknown>), reconcileEvery: '250ms' },
    }),
  },
  prepare: async (world) => {
    const amount = usd('5000');
    return {
      act: async () => {
        await give(world, amount);
        world.toppedUp(world.b, 'USDC', amount);
      },
      done: async () => true,
    };
  },
};

async function give(world: World, amount: bigint): Promise<void> {
  const before = await world.b.client.getBalance({ address: world.keys.fill.address });
  await fund(world.b, world.keys.fill.address, { ETH: before, USDC: amount });
}
