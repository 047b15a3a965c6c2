import type { Hex } from '@causeway/core';
import { createTestClient, createWalletClient, encodeFunctionData, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { anvil as anvilChain } from 'viem/chains';
import { depositoryAbi, erc20Abi } from '../../src/abi.js';
import type { Anvil, CausewayDeployment, TestAccount } from '../../src/devnet/index.js';
import { pollReceipts } from './receipts.js';

export function wallet(anvil: Anvil, user: TestAccount) {
  const account = privateKeyToAccount(user.privateKey);
  return createWalletClient({ account, chain: anvilChain, transport: http(anvil.rpcUrl) })
    .extend(publicActions)
    .extend(pollReceipts);
}

export function testClient(anvil: Pick<Anvil, 'rpcUrl'>) {
  return createTestClient({ mode: 'anvil', chain: anvilChain, transport: http(anvil.rpcUrl) })
    .extend(publicActions)
    .extend(pollReceipts);
}

export function depositNative(
  anvil: Anvil,
  deployed: CausewayDeployment,
  user: TestAccount,
  value: bigint,
  id: Hex,
): Promise<Hex> {
  const data = encodeFunctionData({ abi: depositoryAbi, functionName: 'depositNative', args: [user.address, id] });
  return wallet(anvil, user).sendTransaction({ to: deployed.depository, data, value, gas: 200_000n });
}

/** Signed, not sent. */
export async function signedDeposit(
  anvil: Anvil,
  deployed: CausewayDeployment,
  user: TestAccount,
  value: bigint,
  id: Hex,
): Promise<Hex> {
  const data = encodeFunctionData({ abi: depositoryAbi, functionName: 'depositNative', args: [user.address, id] });
  const client = wallet(anvil, user);
  const request = await client.prepareTransactionRequest({ to: deployed.depository, data, value, gas: 200_000n });
  return client.signTransaction(request);
}

export async function depositToken(
  anvil: Anvil,
  deployed: CausewayDeployment,
  user: TestAccount,
  token: Hex,
  amount: bigint,
  id: Hex,
): Promise<Hex> {
  const client = wallet(anvil, user);
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [deployed.depository, amount] });
  const hash = await client.sendTransaction({ to: token, data: approve, gas: 200_000n });
  await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  const args = [user.address, token, amount, id] as const;
  const data = encodeFunctionData({ abi: depositoryAbi, functionName: 'depositErc20', args });
  return client.sendTransaction({ to: deployed.depository, data, gas: 300_000n });
}

export function balanceOf(anvil: Anvil, token: Hex, owner: Hex): Promise<bigint> {
  return testClient(anvil).readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
}
