import type { Clock, Hex, TransactionEntry } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import type { ChainConfig } from './chain-config.js';
import { NativeTransfers } from './native-transfers.js';
import { Recent } from './recent.js';
import type { RpcBlock, RpcReceipt, RpcTransaction } from './rpc/types.js';
import { receiptFee } from './rpc/types.js';
import { stateChanges } from './state-changes.js';

const HASH = /^0x[0-9a-fA-F]{64}$/;
const MAX_CALLDATA = 262_144;

/** What descriptions share. */
export class Described {
  /** By hash: a block of many transactions is read once. */
  readonly blocks: Recent<Promise<RpcBlock | null>>;
  readonly native: NativeTransfers;

  constructor(clock: Clock) {
    this.blocks = new Recent(32, 60_000, clock);
    this.native = new NativeTransfers(clock);
  }
}

/** Undefined until the transaction is mined. */
export async function describeTransaction(
  provider: Provider,
  { facts, currencies }: Pick<ChainConfig, 'facts' | 'currencies'>,
  { blocks, native }: Described,
  hash: string,
): Promise<TransactionEntry | undefined> {
  if (!HASH.test(hash)) return undefined;
  const [receipt, transaction] = await Promise.all([
    provider.rpc.request<RpcReceipt | null>('eth_getTransactionReceipt', [hash]),
    provider.rpc.request<RpcTransaction | null>('eth_getTransactionByHash', [hash]),
  ]);
  if (receipt === null || transaction === null) return undefined;
  const block = await blockOf(provider, blocks, receipt.blockHash);
  if (block === null) return undefined;
  const { input } = transaction;
  const changes = await stateChanges(provider, native, transaction, receipt, block);
  return {
    txHash: transaction.hash as Hex,
    fee: receiptFee(receipt, transaction).toString(),
    block: Number(receipt.blockNumber),
    type: 'onchain',
    chainId: facts.id,
    timestamp: Number(block.timestamp),
    status: BigInt(receipt.status) === 1n ? 'success' : 'failure',
    data: {
      to: transaction.to?.toLowerCase() ?? null,
      from: transaction.from.toLowerCase(),
      data: input.slice(0, MAX_CALLDATA),
      value: BigInt(transaction.value).toString(),
    },
    ...changes.listed((currency) => currencies.has(currency)),
    ...(input.length > MAX_CALLDATA ? { truncated: true } : {}),
  };
}

function blockOf({ rpc }: Provider, blocks: Described['blocks'], id: Hex): Promise<RpcBlock | null> {
  const known = blocks.get(id);
  if (known !== undefined) return known;
  const read = rpc.request<RpcBlock | null>('eth_getBlockByHash', [id, false]);
  blocks.set(id, read);
  const forget = () => blocks.delete(id);
  read.then((block) => block ?? forget(), forget);
  return read;
}
