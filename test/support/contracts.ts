import type { Abi, Address, Hex } from 'viem';
import { rejecter } from '../../plugins/evm/src/generated/contracts.js';
import { type TestChain, tokenAbi } from './chain.js';
import { FAUCET, walletOf } from './wallet.js';

export async function deploy(
  chain: TestChain,
  artifact: { readonly abi: Abi; readonly bytecode: Hex },
  args: readonly unknown[] = [],
): Promise<Address> {
  const hash = await walletOf(chain, FAUCET).deployContract({ ...artifact, args });
  const { contractAddress } = await chain.receipt(hash);
  if (!contractAddress) throw new Error('nothing was deployed');
  return contractAddress;
}

export function deployRejecter(chain: TestChain): Promise<Address> {
  return deploy(chain, rejecter);
}

/** As after deploying code at its address. */
export async function beginToRefuse(chain: TestChain, account: Address): Promise<void> {
  const bytecode = await chain.client.getCode({ address: await deployRejecter(chain) });
  if (!bytecode) throw new Error('nothing was deployed');
  await chain.client.setCode({ address: account, bytecode });
}

/** Blocks or unblocks transfers of the blocklisting token to `account`. */
export async function block(chain: TestChain, account: Address, value = true): Promise<void> {
  const hash = await walletOf(chain, FAUCET).writeContract({
    address: chain.currency('BLOCK'),
    abi: tokenAbi,
    functionName: 'setBlocked',
    args: [account, value],
  });
  await chain.receipt(hash);
}
