import { type Address, encodeFunctionData } from 'viem';
import { testToken } from '../../../plugins/evm/src/generated/contracts.js';
import { type Integrator, linkIntegrator } from '../../support/app-balance.js';
import { batchWallet, executeQuote } from '../../support/batched-quote.js';
import { until } from '../../support/until.js';
import { newAddress } from '../../support/wallet.js';
import type { Order, World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import { TIMEOUT_MS } from '../scene.js';
import { BALANCE } from './app-balances.js';
import { ended, usd } from './orders.js';
import { feesOf, owed, ownOrder } from './payer-swaps.js';

/** Other flows cover what follows a deposit. */
const POINTS = /calls|execute|idempotency|send|settle|sign|prepare|check|simulate|track|look|accept/;

async function execute(world: World, key: string, body: object): Promise<{ readonly requestId: string }> {
  const { baseUrl, apiKey } = world.rest;
  const reply = await fetch(`${baseUrl}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey, 'Idempotency-Key': key },
    body: JSON.stringify({ executionKind: 'rawCalls', ...body }),
  });
  const said = (await reply.json()) as { readonly requestId: string };
  if (reply.status !== 200) throw new Error(`it was answered ${reply.status}: ${JSON.stringify(said)}`);
  return said;
}

/** Transactions of the executor on a chain, waiting ones included. */
const sentBy = (world: World, on: World['a']) =>
  on.client.getTransactionCount({ address: world.keys.executor.address, blockTag: 'pending' });

/** No reservation is open, as the integrator sees it. */
async function free(world: World, integrator: Integrator): Promise<boolean> {
  const { reserved } = await integrator.balance();
  return reserved === 0n && (await world.rest.audit()).balanced;
}

/** Mints, so that its balance counts how often the call was made. */
function minting(world: World, heir: Address) {
  const data = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [[heir], 1n] });
  return { chainId: world.b.id, to: world.b.currency('USDC'), value: '0', data };
}

export const ownCall: Flow = {
  name: 'call for others',
  only: POINTS,
  tuning: { gasless: true },
  prepare: async (world) => {
    const [heir, integrator] = [newAddress(), await linkIntegrator(world, BALANCE)];
    const call = minting(world, heir);
    let made: { readonly requestId: string };
    return {
      act: async (scene) => {
        made = await scene.insist('the call is taken', () => execute(world, `mint-${heir}`, { data: call }));
      },
      done: async (scene) =>
        (await world.b.balance(heir, 'USDC')) === 1n &&
        (await scene.statusOf(made.requestId)) === 'success' &&
        (await free(world, integrator)),
      judge: async () => once(await world.b.balance(heir, 'USDC'), 1n, await sentBy(world, world.b)),
    };
  },
};

function once(has: bigint, wanted: bigint, sent: number): readonly string[] {
  return has === wanted && sent === 1 ? [] : [`the call was made ${has} times, in ${sent} transactions`];
}

/** An older database knows neither the call nor its fee. The executor's lane waits until what it sent is matched. */
export const forgottenCall: Flow = {
  name: 'call that a restore lost',
  only: POINTS,
  tuning: { gasless: true },
  prepare: async (world) => {
    const [lost, next, integrator] = [newAddress(), newAddress(), await linkIntegrator(world, BALANCE)];
    let made: { readonly requestId: string };
    return {
      before: async (forgotten) => {
        await Promise.all(world.chains.map((chain) => chain.client.mine({ blocks: 128 })));
        await forgotten(async () => {
          const call = minting(world, lost);
          await until('the call is taken', () => execute(world, `mint-${lost}`, { data: call }));
          await until('it is made', async () => (await world.b.balance(lost, 'USDC')) === 1n, { ms: TIMEOUT_MS });
        });
      },
      act: async (scene) => {
        const call = minting(world, next);
        made = await scene.insist('a call is taken', () => execute(world, `mint-${next}`, { data: call }));
      },
      done: async (scene) =>
        (await world.b.balance(next, 'USDC')) === 1n &&
        (await scene.statusOf(made.requestId)) === 'success' &&
        (await free(world, integrator)),
      judge: async () => {
        const counts = await Promise.all([lost, next].map((heir) => world.b.balance(heir, 'USDC')));
        const sent = await sentBy(world, world.b);
        return counts.every((count) => count === 1n) && sent === 2 ? [] : [`made ${counts} times, ${sent} sent`];
      },
    };
  },
};

/** The wallet of a user makes the deposit of a quote, by a batch that the service sends. */
export const quotedCall: Flow = {
  name: 'call for a quote',
  only: POINTS,
  tuning: { gasless: true },
  prepare: async (world) => {
    const integrator = await linkIntegrator(world, BALANCE);
    const wallet = await batchWallet(world.a, { USDC: usd('100') });
    const { user } = wallet;
    const order = await world.order({ from: world.a, input: 'USDC', amount: usd('40'), user, keyed: true });
    return {
      act: async (scene) => {
        await scene.insist('the call is taken', () => executeQuote(world, wallet, order));
      },
      done: async (scene) =>
        (await scene.filled(order)) && (await ended(order, 'success')(scene)) && (await free(world, integrator)),
      judge: async () =>
        once((await world.a.balance(user.address, 'USDC')) / usd('60'), 1n, await sentBy(world, world.a)),
    };
  },
};

/** The wallet of a user executes its own swap; the app balance pays the gas, and the swap pays the fees. */
export const ownSwapCall: Flow = {
  name: 'call for a swap by its payer',
  only: POINTS,
  venues: true,
  tuning: { gasless: true, payerSwaps: true },
  prepare: async (world) => {
    const integrator = await linkIntegrator(world, BALANCE);
    const [wallet, shop] = [await batchWallet(world.a, { USDC: usd('1000') }), newAddress()];
    const { user } = wallet;
    let order: Order;
    return {
      act: async (scene) => {
        order = await ownOrder(scene, user, shop, 'ETH');
        await scene.insist('the call is taken', () => executeQuote(world, wallet, order));
        const { service, app } = feesOf(order.quote);
        world.toppedUp(world.a, 'USDC', service + app);
      },
      done: async (scene) =>
        (await scene.filled(order)) &&
        (await ended(order, 'success')(scene)) &&
        (await free(world, integrator)) &&
        (await owed(world, shop)).join() === feesOf(order.quote).app.toString(),
      judge: async () =>
        once((await world.a.balance(user.address, 'USDC')) / usd('500'), 1n, await sentBy(world, world.a)),
    };
  },
};
