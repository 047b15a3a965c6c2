import type { Abi, Address, Hex } from 'viem';
import { rejecter } from '../../plugins/evm/src/generated/contracts.js';
import { type TestChain, tokenAbi } from './chain.js';
import { FAUCET, walletOf } from './wallet.js';

/** A contract of anybody's. */
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

/** A contract that refuses native coin. */
export function deployRejecter(chain: TestChain): Promise<Address> {
  return deploy(chain, rejecter);
}

/** From now on an account refuses native coin, as one that deploys code at its address does. */
export async function beginToRefuse(chain: TestChain, account: Address): Promise<void> {
  const bytecode = await chain.client.getCode({ address: await deployRejecter(chain) });
  if (!bytecode) throw new Error('nothing was deployed');
  await chain.client.setCode({ address: account, bytecode });
}

/** From now on the blocklisting token refuses transfers to `account`, or takes them again. */
export async function block(chain: TestChain, account: Address, value = true): Promise<void> {
  const hash = await walletOf(chain, FAUCET).writeContract({
    address: chain.currency('BLOCK'),
    abi: tokenAbi,
    functionName: 'setBlocked',
    args: [account, value],
  });
  await chain.receipt(hash);
}
