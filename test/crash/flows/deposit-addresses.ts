import { type Address, parseEther } from 'viem';
import { payAddress } from '../../support/deposit-addresses.js';
import { until } from '../../support/until.js';
import { newAddress } from '../../support/wallet.js';
import type { Order, World } from '../../support/world.js';
import type { Flow, Script } from '../flow.js';
import type { Scene } from '../scene.js';
import { ended, SMALL, usd } from './orders.js';

const TUNING = { addresses: true };

interface Ask {
  readonly symbol: string;
  readonly amount: bigint;
  readonly body?: object;
}

/** Asks while the service is being killed, so the address may be durable without an answer. */
function quoted(scene: Scene, { symbol, amount, body }: Ask, type: 'strict' | 'open' = 'strict'): Promise<Order> {
  const wishes = { useDepositAddress: true, ...(type === 'strict' ? { strict: true } : {}), ...body };
  return scene.insist('a deposit address', () => scene.world.order({ input: symbol, amount, body: wishes }));
}

function addressOf({ quote }: Order): Address {
  return quote.steps[0]?.depositAddress as Address;
}

const payTo = (order: Order, amount = order.amountIn, symbol = order.input) =>
  payAddress(order.from, addressOf(order), symbol, amount);

/** All that arrived is in the depository. */
async function isSwept(order: Order, symbol = order.input): Promise<boolean> {
  return (await order.from.balance(addressOf(order), symbol)) === 0n;
}

function strictly(name: string, ask: Ask): Flow {
  return {
    name,
    tuning: TUNING,
    prepare: async () => {
      let order: Order;
      return {
        act: async (scene) => {
          order = await quoted(scene, ask);
          await payTo(order);
        },
        done: async (scene) => (await scene.filled(order)) && (await isSwept(order)) && ended(order, 'success')(scene),
      };
    },
  };
}

export const coinAtAddress = strictly('deposit address, coin', { symbol: 'ETH', amount: SMALL });
export const tokenAtAddress = strictly('deposit address, token', { symbol: 'USDC', amount: usd('250') });

/** The excess waits for the sweep, which the fill does not. */
export const excessAtAddress: Flow = {
  name: 'deposit address, overpaid',
  tuning: TUNING,
  prepare: async () => {
    let order: Order;
    return {
      act: async (scene) => {
        order = await quoted(scene, { symbol: 'USDC', amount: usd('1000') });
        await payTo(order, usd('1500'));
      },
      done: async (scene) =>
        (await scene.filled(order)) &&
        (await scene.refunded(order)) &&
        (await isSwept(order)) &&
        ended(order, 'success')(scene),
    };
  },
};

/** Sweep first, then the refund out of the depository. */
export const refundAtAddress: Flow = {
  name: 'deposit address, refund',
  tuning: TUNING,
  prepare: async () => {
    let order: Order;
    return {
      act: async (scene) => {
        order = await quoted(scene, { symbol: 'ETH', amount: SMALL, body: { referrer: 'debug-force-refund' } });
        await payTo(order);
      },
      done: async (scene) => (await scene.refunded(order)) && (await isSwept(order)) && ended(order, 'refund')(scene),
    };
  },
};

/** Each transfer is quoted by itself, once, and has an order of its own. */
export const openAddress: Flow = {
  name: 'open deposit address, paid twice',
  tuning: TUNING,
  prepare: async (): Promise<Script> => {
    const [first, second] = [SMALL, parseEther('0.5')];
    let order: Order;
    return {
      act: async (scene) => {
        order = await quoted(scene, { symbol: 'ETH', amount: SMALL }, 'open');
        scene.world.expect(order, { before: 0n, amount: first });
        await payTo(order, first);
        scene.world.expect(order, { before: first, amount: second });
        await payTo(order, second);
      },
      done: async () => (await gotAll(order, first + second)) && isSwept(order),
    };
  },
};

/** The judge says whether each was filled, and once. */
async function gotAll({ to, recipient, output }: Order, paid: bigint): Promise<boolean> {
  return (await to.balance(recipient, output)) >= (paid * 9n) / 10n;
}

/** A reorg takes the transfer before it is final, and brings it again. */
export const reorgedAtAddress: Flow = {
  name: 'deposit address, reorged transfer',
  tuning: TUNING,
  prepare: async (world: World) => {
    let order: Order;
    return {
      act: async (scene) => {
        order = await quoted(scene, { symbol: 'USDC', amount: usd('250') });
        const { hash } = await payTo(order);
        await scene.mayBecome(order, 'pending', 600);
        const bytes = await scene.bytesOf(world.a, hash);
        await world.a.reorgOut(hash);
        await world.a.mine();
        await scene.mayBecome(order, 'failure', 600);
        await world.a.client.sendRawTransaction({ serializedTransaction: bytes });
      },
      done: async (scene) => (await scene.filled(order)) && (await isSwept(order)) && ended(order, 'success')(scene),
    };
  },
};

/**
 * An older database knows neither the addresses nor what was done: an operator recovers both. One was paid and filled before,
 * which stays held; the other is paid only now, and released.
 */
export const recoveredAddress: Flow = {
  name: 'deposit addresses that a restore lost',
  tuning: TUNING,
  prepare: async (world: World) => {
    const to = newAddress();
    let filled: Order;
    let late: Order;
    return {
      before: async (forgotten) => {
        await Promise.all(world.chains.map((chain) => chain.client.mine({ blocks: 128 })));
        await forgotten(async () => {
          filled = await asked(world, SMALL);
          late = await asked(world, parseEther('0.5'));
          await payTo(filled);
          await until('it is filled and swept', async () => {
            await world.a.mine();
            return (await filled.to.balance(filled.recipient, 'ETH')) > 0n && isSwept(filled);
          });
        });
      },
      act: async (scene) => {
        world.excuse(late, { refundTo: to });
        for (const { requestId } of [filled, late])
          await scene.admin('addresses/recover', { chainId: world.a.id, requestId });
        await payTo(late);
        await scene.admin('holds/release', { holdId: await holdOf(scene, late), to });
      },
      done: async (scene) =>
        (await world.a.balance(to, 'ETH')) > 0n && (await isSwept(late)) && ended(late, 'refund')(scene),
    };
  },
};

function asked(world: World, amount: bigint): Promise<Order> {
  const body = { useDepositAddress: true, strict: true };
  return until('a deposit address', () => world.order({ amount, body }));
}

function holdOf(scene: Scene, { requestId }: Order): Promise<string> {
  return scene.insist('a hold', async () => {
    await Promise.all(scene.world.chains.map((chain) => chain.mine()));
    const found = (await scene.audit()).holds.find((hold) => hold.requestId === requestId);
    if (found === undefined) throw new Error(`nothing of ${requestId} is held`);
    return found.id;
  });
}
