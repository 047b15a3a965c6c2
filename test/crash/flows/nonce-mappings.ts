import { nextNonce, postMapping, sendPlain } from '../../support/nonce-mappings.js';
import { fund, newUser } from '../../support/wallet.js';
import type { Order } from '../../support/world.js';
import type { Flow } from '../flow.js';
import { ended, usd } from './orders.js';

/** Other flows cover what follows the deposit. */
const POINTS = /mapNonce|nonceMappings|ingest|quotesByOrder|requestsByOrder/;

/** Killed between the 200 and the transfer as well: the script sends it then. */
export const mappedTransfer: Flow = {
  name: 'plain transfer in a mapped transaction',
  only: POINTS,
  prepare: async (world) => {
    const user = newUser();
    await fund(world.a, user.address, { USDC: usd('100') });
    let order: Order;
    return {
      act: async (scene) => {
        order = await scene.insist('a quote', () =>
          world.order({ from: world.a, input: 'USDC', amount: usd('40'), user }),
        );
        const nonce = await nextNonce(world.a, user);
        world.mapped.push({ chainId: world.a.id, sender: user.address, nonce, orderId: order.orderId });
        await scene.insist('the mapping is taken', async () => {
          const { status } = await postMapping(world, order, nonce);
          if (status !== 200) throw new Error(`it was answered ${status}`);
        });
        await sendPlain(world.a, user, { symbol: 'USDC', amount: order.amountIn, nonce });
      },
      done: async (scene) => (await scene.filled(order)) && (await ended(order, 'success')(scene)),
    };
  },
};
