import type { Hex, RawCall, TypedData } from '@causeway/core';
import type { ChainHarness } from '@causeway/core/testing';
import { type Address, encodeFunctionData, erc20Abi, maxUint256 } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { deployer } from '../../src/devnet/index.js';
import { testToken } from '../../src/generated/contracts.js';
import { testClient } from '../support/wallet.js';
import type { World } from '../support/world.js';

const HOLDS = 1_000_000n;

/** What an executor can call, and payers of a token that takes no permits itself, so that they sign for Permit2. */
export function executorsOn({ anvil, deployed }: World): Pick<ChainHarness, 'callee' | 'permitPayer'> {
  const client = testClient(anvil);
  const { USDC, USDT } = deployed.tokens;
  const mint = (to: Address, amount: bigint) =>
    encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [[to], amount] });

  async function send(by: Hex, to: Address, data: Hex): Promise<void> {
    const account = privateKeyToAccount(by);
    const nonce = await client.getTransactionCount({ address: account.address, blockTag: 'pending' });
    const fees = { gas: 200_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 6n };
    const { chainId } = anvil;
    const serializedTransaction = await account.signTransaction({ type: 'eip1559', chainId, nonce, to, data, ...fees });
    await client.sendRawTransaction({ serializedTransaction });
    await anvil.mine();
  }

  return {
    callee: async () => {
      const heir = privateKeyToAccount(generatePrivateKey()).address;
      const to = USDC.toLowerCase();
      const call = (data: Hex): RawCall => ({ to, data, authorizations: [] });
      const taking = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [heir, 1n] });
      const held = () => client.readContract({ address: USDC, abi: erc20Abi, functionName: 'balanceOf', args: [heir] });
      // What the executor does not have it cannot transfer.
      return { call: call(mint(heir, 1n)), failing: call(taking), made: async () => Number(await held()) };
    },
    permitPayer: async () => {
      const key = generatePrivateKey();
      const account = privateKeyToAccount(key);
      await client.setBalance({ address: account.address, value: 10n ** 18n });
      await send(deployer.privateKey, USDT, mint(account.address, HOLDS));
      const allowance = [deployed.permit2, maxUint256] as const;
      await send(key, USDT, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: allowance }));
      const sign = ({ value: message, ...typed }: TypedData) => account.signTypedData({ ...typed, message } as never);
      return { address: account.address.toLowerCase(), currency: USDT.toLowerCase(), holds: HOLDS, sign };
    },
  };
}
