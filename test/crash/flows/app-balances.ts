import { balanceDepositId } from '../../../core/src/domain/app-balance.js';
import { type Integrator, linkIntegrator } from '../../support/app-balance.js';
import { approve, depositApproved } from '../../support/wallet.js';
import type { World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import { usd } from './orders.js';

/** Of the integrator of the configured key; the same in all flows of a stage. Micro-USD. */
export const BALANCE = 500_000_000_000n;

/** This much, and no reservation is open, as the integrator sees it; and the books agree. */
export async function balances({ rest }: World, integrator: Integrator, amount: bigint): Promise<boolean> {
  const { balance, reserved } = await integrator.balance();
  return balance === amount && reserved === 0n && (await rest.audit()).balanced;
}

/** One deposit stays, and one leaves the chain and returns: each is credited once. */
export const balanceTopUp: Flow = {
  name: 'top-up of an app balance',
  prepare: async (world) => {
    const integrator = await linkIntegrator(world, BALANCE);
    const user = await world.user({ USDC: usd('1000') });
    await approve(world.a, user, 'USDC', usd('1000'));
    const id = balanceDepositId(integrator.id);
    world.credits(id);
    const topUp = (amount: bigint) => depositApproved(world.a, user, { symbol: 'USDC', amount, id });
    return {
      act: async (scene) => {
        await topUp(usd('40'));
        const hash = await topUp(usd('2'));
        const bytes = await scene.bytesOf(world.a, hash);
        await scene.insist('the deposits are seen', async () => {
          const { requests } = await world.rest.requests({ user: user.address });
          if (requests.length < 2) throw new Error(`${requests.length} are`);
        });
        await world.a.reorgOut(hash);
        await world.a.mine();
        await world.a.client.sendRawTransaction({ serializedTransaction: bytes });
      },
      done: () => balances(world, integrator, BALANCE + usd('42')),
    };
  },
};
