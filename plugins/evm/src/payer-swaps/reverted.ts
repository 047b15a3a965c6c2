import type { Hex, RevertedExecution } from '@causeway/core';
import type { Provider, Providers } from '@causeway/core/rpc';
import { decodeFunctionData } from 'viem/utils';
import { swapEntryAbi } from '../abi.js';
import type { ChainConfig } from '../chain-config.js';
import { blockRef, finalizedBlock } from '../finality.js';
import { included } from '../included.js';
import { decodeRevert, revertData } from '../reverts.js';
import { quantity, type RpcBlock, type RpcReceipt, type RpcTransaction } from '../rpc/types.js';

/**
 * Decoded from calldata, as a reverted transaction has no events. Transactions that reach the entry through another
 * contract are not reported.
 */
export async function revertedExecution(
  { finality }: Pick<ChainConfig, 'finality'>,
  providers: Providers,
  entry: Hex,
  hash: string,
): Promise<RevertedExecution | undefined> {
  const receipt = await included<RpcReceipt>(providers, 'eth_getTransactionReceipt', hash);
  if (receipt === undefined || BigInt(receipt.status) !== 0n || receipt.to?.toLowerCase() !== entry) return undefined;
  const transaction = await included<RpcTransaction>(providers, 'eth_getTransactionByHash', hash);
  if (transaction === undefined || transaction.blockHash !== receipt.blockHash) return undefined;
  const orderId = orderIdOf(transaction.input);
  if (orderId === undefined) return undefined;
  return providers.run(async (provider) => {
    const at = [receipt.blockNumber, false];
    const block = await provider.rpc.request<RpcBlock | null>('eth_getBlockByNumber', at);
    if (block?.hash !== receipt.blockHash) return undefined;
    const head = Number(await provider.rpc.request<Hex>('eth_blockNumber'));
    const finalized = await finalizedBlock(provider, finality, head);
    return {
      orderId,
      payer: transaction.from.toLowerCase(),
      block: blockRef(block),
      final: Number(receipt.blockNumber) <= finalized.height,
      message: await whyOf(provider, transaction),
    };
  });
}

function orderIdOf(input: Hex): Hex | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: swapEntryAbi, data: input });
    return functionName === 'swap' ? (args[0].orderId.toLowerCase() as Hex) : undefined;
  } catch {
    return undefined;
  }
}

/** Repeated on top of the previous block: earlier transactions of its own block are not included. */
async function whyOf(provider: Provider, { from, to, input, value, gas, blockNumber }: RpcTransaction) {
  const call = { from, to, data: input, value, gas };
  const before = quantity(Math.max(0, Number(blockNumber) - 1));
  try {
    await provider.rpc.request<Hex>('eth_call', [call, before]);
    return null;
  } catch (error) {
    const data = revertData(error);
    return data === undefined ? null : decodeRevert(data, 'TRANSACTION_REVERTED').message;
  }
}
