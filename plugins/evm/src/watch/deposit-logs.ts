import type { BlockRef, DepositObservation, Hex } from '@causeway/core';
import { TransportError } from '@causeway/core/rpc';
import { toEventSelector } from 'viem/utils';
import { depositoryAbi } from '../abi.js';
import { NATIVE, ZERO_ID } from '../addresses.js';
import type { ChainConfig } from '../chain-config.js';
import type { LogFilter } from '../logs/log-filter.js';
import { EXECUTION_TOPIC } from '../payer-swaps/execution-logs.js';
import { isSwapDepositedLog, paidWith, SWAP_DEPOSITED_TOPIC } from '../payer-swaps/paid-with.js';
import type { RpcLog } from '../rpc/types.js';
import { wordAddress, wordsOf, wordUint } from '../words.js';

export const NATIVE_DEPOSIT_TOPIC = toEventSelector(depositoryAbi[5]);
export const ERC20_DEPOSIT_TOPIC = toEventSelector(depositoryAbi[6]);

export type Watched = Pick<ChainConfig, 'depository' | 'swapEntry'>;

/** Matches every deposit, its swap and every execution, and nothing else. */
export function watchFilter({ depository, swapEntry }: Watched): LogFilter {
  const deposits = [NATIVE_DEPOSIT_TOPIC, ERC20_DEPOSIT_TOPIC];
  if (swapEntry === undefined) return { address: depository, topics: [deposits] };
  return { address: [depository, swapEntry], topics: [[...deposits, EXECUTION_TOPIC, SWAP_DEPOSITED_TOPIC]] };
}

/**
 * Expects *all* deposit and swap logs of whole blocks.
 *
 * Invariant: the funding key is `<chain id>:<transaction hash>:<n>`, n counting the depository's deposit events
 * within the transaction from 0. Unlike the log index within the block, it survives re-inclusion.
 */
export function observeDeposits(
  chainId: number,
  logs: readonly RpcLog[],
  blockOf: (log: RpcLog) => BlockRef,
  finalizedHeight: number,
  swapEntry?: Hex,
): DepositObservation[] {
  const ordered = [...logs].sort(
    (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
  );
  const counts = new Map<string, number>();
  const each = ordered.flatMap((log, place): DepositObservation[] => {
    if (isSwapDepositedLog(swapEntry, log)) return [];
    const transactionHash = log.transactionHash.toLowerCase();
    const n = counts.get(transactionHash) ?? 0;
    // guard: evm-deposit-numbers
    counts.set(transactionHash, n + 1);
    const deposit = depositOf(log);
    const { from, token, amount, id } = deposit;
    const after = ordered[place + 1];
    const reported =
      after !== undefined && isSwapDepositedLog(swapEntry, after) && after.transactionHash === log.transactionHash;
    const paid = reported ? paidWith(after, deposit) : undefined;
    const block = blockOf(log);
    return [
      {
        fundingKey: `${chainId}:${transactionHash}:${n}`,
        chainId,
        transactionHash,
        currency: token,
        amount,
        depositor: from,
        orderId: id === ZERO_ID ? null : id,
        depositAddress: null,
        state: block.height <= finalizedHeight ? 'final' : 'included',
        block,
        ...(paid === undefined ? {} : { paid }),
      },
    ];
  });
  return summed(each);
}

/**
 * Sums the deposits of one transaction under the key of the first if those that name an order agree in order,
 * currency and depositor. Swapped deposits stay separate: the event records what was paid for each.
 */
function summed(all: readonly DepositObservation[]): DepositObservation[] {
  const named = new Map<string, DepositObservation[]>();
  for (const one of all) {
    if (one.orderId === null) continue;
    const same = named.get(one.transactionHash);
    if (same) same.push(one);
    else named.set(one.transactionHash, [one]);
  }
  return all.flatMap((one) => {
    const [first, ...more] = named.get(one.transactionHash) ?? [];
    if (first === undefined || one.orderId === null || more.length === 0) return [one];
    const isOne = [first, ...more].every(
      ({ orderId, currency, depositor, paid }) =>
        orderId === first.orderId && currency === first.currency && depositor === first.depositor && paid === undefined,
    );
    if (!isOne) return [one];
    return one === first ? [{ ...one, amount: more.reduce((sum, { amount }) => sum + amount, one.amount) }] : [];
  });
}

/** Deposits of tokens that are not configured are ignored, after counting, so that funding keys do not change. */
export function isServed(
  { currencies }: Pick<ChainConfig, 'currencies'>,
  { currency }: Pick<DepositObservation, 'currency'>,
): boolean {
  return currencies.has(currency);
}

/** Any contract can emit the same event: the emitting address decides. */
export function isDepositLog(depository: Hex, { address, topics: [event] }: RpcLog): boolean {
  return address.toLowerCase() === depository && (event === NATIVE_DEPOSIT_TOPIC || event === ERC20_DEPOSIT_TOPIC);
}

/** RelayNativeDeposit(from, amount, id) and RelayErc20Deposit(from, token, amount, id); nothing is indexed. */
export function depositOf(log: RpcLog): { from: string; token: string; amount: bigint; id: Hex } {
  if (log.topics[0] === NATIVE_DEPOSIT_TOPIC) {
    const [from, amount, id] = wordsOf(log.data, 3);
    return { from: wordAddress(from), token: NATIVE, amount: wordUint(amount), id: `0x${id ?? ''}` };
  }
  if (log.topics[0] !== ERC20_DEPOSIT_TOPIC)
    throw new TransportError('a log query returned another event', 'malformed');
  const [from, token, amount, id] = wordsOf(log.data, 4);
  return { from: wordAddress(from), token: wordAddress(token), amount: wordUint(amount), id: `0x${id ?? ''}` };
}
