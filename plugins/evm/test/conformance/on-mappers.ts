import type { Hex } from '@causeway/core';
import type { ChainHarness } from '@causeway/core/testing';
import { type Address, encodeFunctionData, getContractAddress, parseAbi } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { deployer } from '../../src/devnet/index.js';
import { testToken } from '../../src/generated/contracts.js';
import { twin } from '../support/twin.js';
import { testClient } from '../support/wallet.js';
import type { World } from '../support/world.js';
import { callBundle } from './deposit-bundle.js';

const HOLDS = 1_000_000n;
const tokenAbi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
]);

/** Payers that name their transactions by nonces. */
export function mappersOn({ anvil, deployed }: World): Pick<ChainHarness, 'mappingPayer'> {
  const client = testClient(anvil);
  const { depository } = deployed;
  const { USDT } = deployed.tokens;
  const nextOf = ({ address }: PrivateKeyAccount) => client.getTransactionCount({ address, blockTag: 'pending' });

  async function send(account: PrivateKeyAccount, data: Hex, to?: Address, asked?: number): Promise<Hex> {
    const nonce = asked ?? (await nextOf(account));
    const fees = { gas: 400_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 6n };
    const place = { type: 'eip1559', chainId: anvil.chainId, nonce, data, ...fees } as const;
    const serializedTransaction = await account.signTransaction(to === undefined ? place : { ...place, to });
    return client.sendRawTransaction({ serializedTransaction });
  }

  async function funded(): Promise<PrivateKeyAccount> {
    const account = privateKeyToAccount(generatePrivateKey());
    await client.setBalance({ address: account.address, value: 10n ** 18n });
    const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [[account.address], HOLDS] });
    await send(privateKeyToAccount(deployer.privateKey), mint, USDT);
    await anvil.mine();
    return account;
  }

  const approve = (spender: Address) =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, HOLDS] });
  const take = (from: Address, amount: bigint) =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'transferFrom', args: [from, depository, amount] });

  return {
    mappingPayer: async () => {
      const [account, another] = [await funded(), await funded()];
      const { address } = account;
      return {
        address: address.toLowerCase(),
        currency: USDT.toLowerCase(),
        sign: ({ value: message, ...typed }) => account.signTypedData({ ...typed, message } as never),
        twin: (signature) => twin(signature as Hex),
        send: async (steps) => {
          let id: Hex = '0x';
          for (const { data } of steps.flatMap(({ items }) => items)) {
            const {
              to,
              data: input,
              nonce,
            } = data as { readonly to: Address; readonly data: Hex; readonly nonce: number };
            id = await send(account, input, to, nonce);
          }
          return { id };
        },
        sendTwice: async (amount) => {
          const nonce = await nextOf(account);
          await send(account, approve(getContractAddress({ from: address, nonce: BigInt(nonce + 1) })), USDT, nonce);
          await anvil.mine();
          const one = { to: USDT, value: 0n, data: take(address, amount) };
          return { id: await send(account, callBundle([one, one])) };
        },
        sendForAnother: async (amount) => {
          await send(another, approve(address), USDT);
          await anvil.mine();
          return { id: await send(account, take(another.address, amount), USDT) };
        },
      };
    },
  };
}
