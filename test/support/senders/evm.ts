import type { DevnetAccount } from '@causeway/core';
import { artifacts } from '@causeway/plugin-evm/devnet';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hash,
  type Hex,
  http,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { NATIVE, tokenAbi } from '../chain.js';
import type { LocalSide } from '../local-build.js';
import { newAddress } from '../wallet.js';
import type { Payment, Sender } from './sender.js';

interface Call {
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

/** Several at once: from a contract, so that the payee sees internal calls. */
export const evmSender: Sender = {
  newAddress,
  async send(side, payer, payments) {
    const { sent, submit } = walletFor(side, payer);
    const calls = payments.map((payment) => callOf(side, payment));
    const [only, ...others] = calls;
    if (only === undefined) throw new Error('nothing to pay');
    if (others.length === 0) return submit(only);
    const { abi, bytecode } = artifacts.batcher;
    const { contractAddress: batcher } = await sent(await submit({ data: bytecode }));
    if (!batcher) throw new Error('nothing was deployed');
    for (const { symbol, amount } of payments)
      if (isToken(side, symbol)) await submit(callOf(side, { to: batcher, symbol, amount }));
    const value = calls.reduce((sum, call) => sum + call.value, 0n);
    return submit({ to: batcher, value, data: encodeFunctionData({ abi, functionName: 'execute', args: [calls] }) });
  },
};

function isToken(side: LocalSide, symbol: string): boolean {
  return side.currency(symbol) !== NATIVE;
}

function callOf(side: LocalSide, { to, symbol, amount }: Payment): Call {
  if (!isToken(side, symbol)) return { to: to as Address, value: amount, data: '0x' };
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to as Address, amount] });
  return { to: side.currency(symbol) as Address, value: 0n, data };
}

function walletFor({ chain }: LocalSide, { privateKey }: DevnetAccount) {
  const transport = http(chain.rpcUrl);
  const reader = createPublicClient({ transport, pollingInterval: 50 });
  const wallet = createWalletClient({ account: privateKeyToAccount(privateKey as Hex), transport });
  const sent = async (hash: Hash) => {
    const receipt = await reader.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`${hash} was reverted`);
    return receipt;
  };
  const submit = async (call: Partial<Call>): Promise<Hash> => {
    const hash = await wallet.sendTransaction({ chain: null, ...call });
    await sent(hash);
    return hash;
  };
  return { sent, submit };
}
