import type { Hex } from '@causeway/core';
import { deployer } from '../../src/devnet/index.js';
import { gasRecipient } from '../../src/generated/contracts.js';
import { testClient, wallet } from './wallet.js';
import type { World } from './world.js';

export const GAS_MODES = ['Wallet', 'Burn', 'BurnIfPriced', 'RevertIfPriced', 'Blob', 'RevertBlob'] as const;

/** See contracts/test/GasRecipient.sol. */
export async function newGasRecipient({ anvil }: World, mode: (typeof GAS_MODES)[number], amount = 0n): Promise<Hex> {
  const args = [GAS_MODES.indexOf(mode), amount] as const;
  const hash = await wallet(anvil, deployer).deployContract({ ...gasRecipient, args });
  const { contractAddress } = await testClient(anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
  if (contractAddress == null) throw new Error('not deployed');
  return contractAddress.toLowerCase() as Hex;
}
