import type { DevnetAccount } from '@causeway/core';
import { type Address, createPublicClient, createWalletClient, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { NATIVE } from '../addresses.js';
import { testToken } from '../generated/contracts.js';

interface StepData {
  readonly to: Address;
  readonly data?: Hex;
  readonly value?: string;
  readonly chainId: number;
  readonly gas?: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
}

export async function sendStep(
  account: DevnetAccount,
  rpcUrl: string,
  data: Readonly<Record<string, unknown>>,
): Promise<string> {
  const step = data as unknown as StepData;
  const transport = http(rpcUrl);
  const reader = createPublicClient({ transport, pollingInterval: 50 });
  const chainId = await reader.getChainId();
  if (step.chainId !== undefined && Number(step.chainId) !== chainId) {
    throw new Error(`the step is for chain ${step.chainId}, ${rpcUrl} is chain ${chainId}`);
  }
  const wallet = createWalletClient({ account: privateKeyToAccount(account.privateKey as Hex), transport });
  const hash = await wallet.sendTransaction({
    chain: null,
    to: step.to,
    data: step.data ?? '0x',
    value: BigInt(step.value ?? 0),
    ...(step.gas === undefined ? {} : { gas: BigInt(step.gas) }),
    ...(step.maxFeePerGas === undefined || step.maxPriorityFeePerGas === undefined
      ? {}
      : { maxFeePerGas: BigInt(step.maxFeePerGas), maxPriorityFeePerGas: BigInt(step.maxPriorityFeePerGas) }),
  });
  const receipt = await reader.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error(`transaction ${hash} reverted`);
  return hash;
}

/** Smallest unit. */
export async function balance(rpcUrl: string, address: string, currency: string): Promise<bigint> {
  const reader = createPublicClient({ transport: http(rpcUrl) });
  const account = address as Address;
  if (currency === NATIVE) return reader.getBalance({ address: account });
  const { abi } = testToken;
  return reader.readContract({ abi, address: currency as Address, functionName: 'balanceOf', args: [account] });
}
