import { parseUnits } from 'viem';
import { claimFees, claimsOf } from '../../support/fee-claims.js';
import { until } from '../../support/until.js';
import { newUser, pay } from '../../support/wallet.js';
import type { Flow } from '../flow.js';

export const feeClaim: Flow = {
  name: 'claim of app fees',
  prepare: async (world) => {
    const wallet = newUser();
    const body = { appFees: [{ recipient: wallet.address, fee: '100' }] };
    const order = await world.order({ input: 'USDC', amount: parseUnits('1000', 6), body });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    await world.finalise();
    const claim = await until('it can be claimed', async () => {
      await world.b.mine();
      return claimFees(world, { chain: world.a, symbol: 'USDC', wallet }).catch(() => undefined);
    });
    return {
      act: async (scene) => {
        await scene.insist('the claim is taken', async () => {
          const { status, body: said } = await claim.sign();
          if (status !== 200) throw new Error(`it was answered ${status}: ${JSON.stringify(said)}`);
        });
      },
      done: async () => {
        const records = await claimsOf(world, wallet.address).catch(() => []);
        const paid = await world.a.balance(claim.recipient, 'USDC');
        return paid > 0n && records.length === 1 && records[0]?.status === 'success';
      },
    };
  },
};
