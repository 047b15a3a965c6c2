import { BalanceChanges, type Hex } from '@causeway/core';
import { type Provider, sideOf } from '@causeway/core/rpc';
import { encodeEventTopics } from 'viem/utils';
import { erc20Abi } from './abi.js';
import { NATIVE } from './addresses.js';
import type { NativeTransfer, NativeTransfers } from './native-transfers.js';
import type { RpcBlock, RpcReceipt, RpcTransaction } from './rpc/types.js';
import { receiptFee } from './rpc/types.js';

interface AccountState {
  readonly balance?: Hex;
}

interface PrestateDiff {
  readonly pre: Readonly<Record<string, AccountState>>;
  readonly post: Readonly<Record<string, AccountState>>;
}

const TRANSFER = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer' })[0];

/**
 * Native coin from a trace if the node offers one, else from value and fee alone (without inner transfers); tokens
 * from their Transfer logs. The sender's figure includes the fee.
 */
export async function stateChanges(
  provider: Provider,
  native: NativeTransfers,
  transaction: RpcTransaction,
  receipt: RpcReceipt,
  block: RpcBlock,
): Promise<BalanceChanges> {
  const changes = new BalanceChanges();
  const add = (address: string, token: string, amount: bigint): void => {
    // Mints come from the zero address, burns go to it.
    if (address !== NATIVE) changes.add(address.toLowerCase(), token.toLowerCase(), amount);
  };
  await addNative({ provider, native, transaction, receipt, block }, add);
  for (const { address, topics, data } of receipt.logs) {
    const [signature, from, to] = topics;
    // Three topics: in an NFT transfer the id is a fourth.
    if (signature !== TRANSFER || topics.length !== 3 || from === undefined || to === undefined || data.length !== 66)
      continue;
    add(`0x${from.slice(26)}`, address, -BigInt(data));
    add(`0x${to.slice(26)}`, address, BigInt(data));
  }
  return changes;
}

type Add = (address: string, token: string, amount: bigint) => void;

interface Traced {
  readonly provider: Provider;
  readonly native: NativeTransfers;
  readonly transaction: RpcTransaction;
  readonly receipt: RpcReceipt;
  readonly block: RpcBlock;
}

async function addNative({ provider, native, transaction, receipt, block }: Traced, add: Add): Promise<void> {
  try {
    const transfers = await native.of(provider, transaction.hash);
    const diff = transfers === undefined ? await tracedDiff(provider, transaction.hash) : undefined;
    if (diff !== undefined) return nativeDiff(diff, transaction, block, add);
    if (transfers !== undefined) return transfersAndFee(transfers, { transaction, receipt }, add);
  } catch {
    // Traces are optional: a slow one does not make the provider unhealthy.
  }
  valueAndFee({ transaction, receipt }, add);
}

function nativeDiff({ pre, post }: PrestateDiff, transaction: RpcTransaction, block: RpcBlock, add: Add): void {
  const parties = new Set([transaction.from.toLowerCase(), transaction.to?.toLowerCase()]);
  for (const [address, after] of Object.entries(post)) {
    // The block producer receives every transaction's tip.
    const producer = address.toLowerCase() === block.miner?.toLowerCase() && !parties.has(address.toLowerCase());
    if (after.balance === undefined || producer) continue;
    add(address, NATIVE, BigInt(after.balance) - BigInt(pre[address]?.balance ?? '0x0'));
  }
}

type Paid = Pick<Traced, 'transaction' | 'receipt'>;

function transfersAndFee(transfers: readonly NativeTransfer[], { transaction, receipt }: Paid, add: Add): void {
  add(transaction.from, NATIVE, -receiptFee(receipt, transaction));
  for (const { from, to, amount } of transfers) {
    add(from, NATIVE, -amount);
    add(to, NATIVE, amount);
  }
}

function valueAndFee(paid: Paid, add: Add): void {
  const { from, to, value } = paid.transaction;
  const isPaid = BigInt(paid.receipt.status) === 1n;
  transfersAndFee(isPaid && to !== null ? [{ from, to, amount: BigInt(value) }] : [], paid, add);
}

/** Undefined where the node answers none. */
async function tracedDiff(provider: Provider, hash: Hex): Promise<PrestateDiff | undefined> {
  const options = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };
  const { rpc } = sideOf(provider, 'traces');
  const diff = await rpc.request<Partial<PrestateDiff> | null>('debug_traceTransaction', [hash, options]);
  return diff?.pre !== undefined && diff.post !== undefined ? (diff as PrestateDiff) : undefined;
}
