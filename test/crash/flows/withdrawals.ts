import { parseUnits } from 'viem';
import { newAddress } from '../../support/wallet.js';
import type { Flow } from '../flow.js';

export const withdrawal: Flow = {
  name: 'operator withdrawal',
  prepare: async (world) => {
    const recipient = newAddress();
    const [token, amount] = [world.b.currency('USDC'), parseUnits('250', 6)];
    world.payouts.push({ chainId: world.b.id, token, to: recipient, most: amount + 1n });
    const body = { withdrawalId: 'w1', chainId: world.b.id, currency: 'USDC', recipient, amount: amount.toString() };
    return {
      // Repeated until it is answered, as an operator would.
      act: (scene) => scene.admin('withdraw', body),
      done: async () => (await world.b.balance(recipient, 'USDC')) === amount,
    };
  },
};
