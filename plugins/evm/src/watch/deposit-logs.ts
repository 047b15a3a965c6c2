import type { BlockRef, DepositObservation, Hex } from '@causeway/core';
import { decodeEventLog, encodeEventTopics } from 'viem';
import { depositoryAbi } from '../abi.js';
import { currencyKey, NATIVE, ZERO_ID } from '../addresses.js';
import type { RpcLog } from '../rpc/types.js';

const topic = (eventName: 'RelayNativeDeposit' | 'RelayErc20Deposit'): Hex =>
  encodeEventTopics({ abi: depositoryAbi, eventName })[0] as Hex;

export const NATIVE_DEPOSIT_TOPIC = topic('RelayNativeDeposit');
export const ERC20_DEPOSIT_TOPIC = topic('RelayErc20Deposit');

/** `address` and `topics` of a log query that sees every deposit and nothing else. */
export function depositFilter(depository: Hex): { address: Hex; topics: [Hex[]] } {
  return { address: depository, topics: [[NATIVE_DEPOSIT_TOPIC, ERC20_DEPOSIT_TOPIC]] };
}

/**
 * Observations out of *all* deposit logs of whole blocks.
 *
 * Invariant: the funding key is `<chain id>:<transaction hash>:<n>`, n counting the depository's deposit events
 * within the transaction from 0. Unlike the block-level log index it survives re-inclusion in another block.
 */
export function observeDeposits(
  chainId: number,
  logs: readonly RpcLog[],
  blockOf: (log: RpcLog) => BlockRef,
  finalizedHeight: number,
): DepositObservation[] {
  const ordered = [...logs].sort(
    (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
  );
  const counts = new Map<string, number>();
  return ordered.map((log) => {
    const transactionHash = log.transactionHash.toLowerCase();
    const n = counts.get(transactionHash) ?? 0;
    counts.set(transactionHash, n + 1);
    const event = decodeEventLog({
      abi: depositoryAbi,
      data: log.data,
      topics: log.topics as [Hex, ...Hex[]],
      strict: true,
    });
    if (event.eventName === 'Withdrawn') throw new Error('log query returned an event it did not ask for');
    const block = blockOf(log);
    const id = event.args.id.toLowerCase() as Hex;
    return {
      fundingKey: `${chainId}:${transactionHash}:${n}`,
      chainId,
      transactionHash,
      currency: event.eventName === 'RelayErc20Deposit' ? currencyKey(event.args.token) : NATIVE,
      amount: event.args.amount,
      depositor: event.args.from.toLowerCase(),
      orderId: id === ZERO_ID ? null : id,
      depositAddress: null,
      state: block.height <= finalizedHeight ? 'final' : 'included',
      block,
    };
  });
}
