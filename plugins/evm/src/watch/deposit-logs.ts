import type { BlockRef, DepositObservation, Hex } from '@causeway/core';
import { TransportError } from '@causeway/core/rpc';
import { toEventSelector } from 'viem/utils';
import { depositoryAbi } from '../abi.js';
import { NATIVE, ZERO_ID } from '../addresses.js';
import type { ChainConfig } from '../chain-config.js';
import type { LogFilter } from '../logs/log-filter.js';
import { EXECUTION_TOPIC } from '../own-swaps/execution-logs.js';
import { isSwapDepositedLog, paidWith, SWAP_DEPOSITED_TOPIC } from '../own-swaps/paid-with.js';
import type { RpcLog } from '../rpc/types.js';
import { wordAddress, wordsOf, wordUint } from '../words.js';

export const NATIVE_DEPOSIT_TOPIC = toEventSelector(depositoryAbi[5]);
export const ERC20_DEPOSIT_TOPIC = toEventSelector(depositoryAbi[6]);

/** Contracts whose events are read. */
export type Watched = Pick<ChainConfig, 'depository' | 'swapEntry'>;

/** `address` and `topics` of a log query that sees every deposit, what it was swapped from, every execution, and nothing else. */
export function watchFilter({ depository, swapEntry }: Watched): LogFilter {
  const deposits = [NATIVE_DEPOSIT_TOPIC, ERC20_DEPOSIT_TOPIC];
  if (swapEntry === undefined) return { address: depository, topics: [deposits] };
  return { address: [depository, swapEntry], topics: [[...deposits, EXECUTION_TOPIC, SWAP_DEPOSITED_TOPIC]] };
}

/**
 * Observations out of *all* deposit logs of whole blocks, and those of swaps into the depository among them.
 *
 * Invariant: the funding key is `<chain id>:<transaction hash>:<n>`, n counting the depository's deposit events
 * within the transaction from 0. Unlike the block-level log index it survives re-inclusion in another block.
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
    counts.set(transactionHash, n + 1);
    const deposit = depositOf(log);
    const { from, token, amount, id } = deposit;
    const after = ordered[place + 1];
    const told =
      after !== undefined && isSwapDepositedLog(swapEntry, after) && after.transactionHash === log.transactionHash;
    const paid = told ? paidWith(after, deposit) : undefined;
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
 * Deposits of one transaction are one under the key of the first, where all that name an order name the same one, in one currency and of
 * one depositor. What was swapped into is left as it is: its event says what was paid for it.
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

/**
 * Whether anything is done about a deposit: one of a token that nobody configured may be of anything, and is told to nobody.
 * It is left out after all were counted, so that it changes no funding key.
 */
export function isServed(
  { currencies }: Pick<ChainConfig, 'currencies'>,
  { currency }: Pick<DepositObservation, 'currency'>,
): boolean {
  return currencies.has(currency);
}

/** Anybody can emit an event: only the depository's own counts. */
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
