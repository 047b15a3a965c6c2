import type { Hash } from 'viem';
import { block } from '../../support/contracts.js';
import { sleep } from '../../support/until.js';
import { approve } from '../../support/wallet.js';
import type { Order, World } from '../../support/world.js';
import { type Flow, ORDER_TTL_S, QUOTE_VALIDITY_S } from '../flow.js';
import type { Scene } from '../scene.js';
import { deposit, ended, LARGE, largeUser, SMALL, usd } from './orders.js';

export async function goesAndReturns(scene: Scene, world: World, order: Order, hash: Hash): Promise<void> {
  const bytes = await scene.bytesOf(world.a, hash);
  await world.a.reorgOut(hash);
  await world.a.mine();
  await scene.mayBecome(order, 'failure', 600);
  await world.a.client.sendRawTransaction({ serializedTransaction: bytes });
}

export const reorgedDeposit: Flow = {
  name: 'reorged deposit',
  prepare: async (world) => {
    const order = await world.order({ amount: LARGE, user: await largeUser(world) });
    return {
      act: async (scene) => {
        const hash = await deposit(order);
        await scene.mayBecome(order, 'pending', 600);
        await goesAndReturns(scene, world, order, hash);
      },
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

/** Removed after the fill, which is not repeated at reinclusion. */
export const reorgedAfterFill: Flow = {
  name: 'reorged deposit after its fill',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        const hash = await deposit(order);
        await scene.fillOf(order);
        await goesAndReturns(scene, world, order, hash);
      },
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

export const reorgedFill: Flow = {
  name: 'reorged fill',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        await deposit(order);
        const fill = await scene.fillOf(order);
        await scene.mayBecome(order, 'success', 300);
        await world.b.reorgOut(fill);
        await world.b.mine();
      },
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

export const stuckFee: Flow = {
  name: 'stuck fee',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        scene.mining = false;
        await world.b.manual();
        const pass = await blocksThatPass(world);
        await deposit(order);
        let first: string | undefined;
        await scene.insist('a replacement is in the pool', async () => {
          const pooled = await scene.pool(world.b);
          first ??= pooled[0]?.hash;
          if (pooled.some(({ hash }) => hash !== first)) return;
          for (const { hash } of pooled) await world.b.client.dropTransaction({ hash });
          await pass();
          throw new Error(`the pool has ${pooled.length} of the solver's transactions`);
        });
        await world.b.automatic();
      },
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

/**
 * Makes blocks without the fill signer's transactions. A block with one that arrived after the mempool was emptied is
 * reverted, as it could no longer be replaced.
 */
async function blocksThatPass(world: World): Promise<() => Promise<void>> {
  const { client } = world.b;
  const { address } = world.keys.fill;
  const stand = async () => ({
    height: await client.getBlockNumber({ cacheTime: 0 }),
    count: await client.getTransactionCount({ address }),
  });
  // Survives a failed try: the next one returns to it.
  let good = await stand();
  return async () => {
    await world.b.mine();
    const now = await stand();
    if (now.count === good.count) good = now;
    else await world.b.reorg(Number(now.height - good.height));
  };
}

/** The fill is never included: its key is closed by an empty transaction, then the deposit is refunded. */
export const closing: Flow = {
  name: 'closing no-op',
  tuning: { inclusionWindow: '700ms' },
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    return {
      act: async (scene) => {
        await world.b.manual();
        await deposit(order);
        await scene.insist('a transaction that moves nothing is in the pool', async () => {
          const pooled = await scene.pool(world.b);
          if (pooled.some(({ to }) => to !== world.b.router.toLowerCase())) return;
          throw new Error(`the pool has ${pooled.length} of the solver's transactions`);
        });
        await world.b.automatic();
      },
      done: async (scene) => (await scene.refunded(order)) && ended(order, 'refund')(scene),
    };
  },
};

/** The token refuses the recipient while a fee bump is pending: no bump until it accepts again. */
export const stuckAndRefused: Flow = {
  name: 'stuck fee, refused meanwhile',
  prepare: async (world) => {
    const user = await world.user({ BLOCK: usd('1000') });
    const order = await world.order({ input: 'BLOCK', amount: usd('300'), user });
    await approve(order.from, user, 'BLOCK', usd('300'));
    return {
      act: async (scene) => {
        await world.b.manual();
        await deposit(order);
        await scene.insist('the fill is in the pool', async () => {
          const pooled = await scene.pool(world.b);
          if (pooled.length === 0) throw new Error("the pool has none of the solver's transactions");
          for (const { hash } of pooled) await world.b.client.dropTransaction({ hash });
        });
        await refuse(world, order, true);
        for (let blocks = 0; blocks < 5; blocks += 1) {
          for (const { hash } of await scene.pool(world.b)) await world.b.client.dropTransaction({ hash });
          await world.b.mine();
          await sleep(110);
        }
        await refuse(world, order, false);
        await world.b.automatic();
      },
      done: async (scene) =>
        ((await scene.filled(order)) && ended(order, 'success')(scene)) ||
        ((await scene.refunded(order)) && ended(order, 'refund')(scene)),
    };
  },
};

async function refuse(world: World, order: Order, value: boolean): Promise<void> {
  let landed = false;
  const landing = block(world.b, order.recipient, value).finally(() => {
    landed = true;
  });
  while (!landed) {
    await sleep(30);
    await world.b.mine();
  }
  await landing;
}

/** The user of a key is searched in old states, which the node discards play by play before the snapshot. */
async function farFromTheSnapshot(world: World): Promise<void> {
  await world.b.client.mine({ blocks: 128 });
}

/**
 * Another transaction spends the signer's key: the signed one can never land, and the deposit is refunded after
 * proof.
 */
export const foreignSpend: Flow = {
  name: 'key used elsewhere',
  shortOf: 'gas of the transaction that a third party signed',
  prepare: async (world) => {
    const order = await world.order({ amount: SMALL });
    const { address } = world.keys.fill;
    return {
      act: async (scene) => {
        await farFromTheSnapshot(world);
        await world.b.manual();
        await deposit(order);
        await scene.insist('the fill is in the pool', async () => {
          if ((await scene.pool(world.b)).length === 0)
            throw new Error("the pool has none of the solver's transactions");
        });
        await world.b.client.impersonateAccount({ address });
        for (const { hash } of await scene.pool(world.b)) await world.b.client.dropTransaction({ hash });
        const wallet = world.b.client;
        await wallet.sendUnsignedTransaction({ from: address, to: address, value: 0n });
        await world.b.automatic();
        await world.b.finalise();
        await world.b.client.stopImpersonatingAccount({ address });
        // Proof needs the deadline to pass, after which no one can fill.
        await world.b.passTime(QUOTE_VALIDITY_S + ORDER_TTL_S + 800);
      },
      // The service may have sent its bytes again: then both have a key each.
      done: async (scene) =>
        ((await scene.refunded(order)) && ended(order, 'refund')(scene)) ||
        ((await scene.filled(order)) && ended(order, 'success')(scene)),
    };
  },
};
