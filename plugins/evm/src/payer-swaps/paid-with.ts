import type { Hex, PaidWith } from '@causeway/core';
import { toEventSelector } from 'viem/utils';
import { swapEntryAbi } from '../abi.js';
import type { RpcLog } from '../rpc/types.js';
import { wordAddress, wordsOf, wordUint } from '../words.js';

export const SWAP_DEPOSITED_TOPIC = toEventSelector(swapEntryAbi[4]);

interface Deposited {
  readonly from: string;
  readonly token: string;
  readonly amount: bigint;
  readonly id: Hex;
}

/** Any contract can emit the same event: the emitting address decides. */
export function isSwapDepositedLog(swapEntry: Hex | undefined, { address, topics: [event] }: RpcLog): boolean {
  return address.toLowerCase() === swapEntry && event === SWAP_DEPOSITED_TOPIC;
}

/**
 * The entry logs what a deposit was paid with right after it.
 *
 * @param next the first event of the depository or the entry after that of the deposit, in the same transaction.
 */
export function paidWith(next: RpcLog | undefined, { from, token, amount, id }: Deposited): PaidWith | undefined {
  if (next === undefined || next.topics[1]?.toLowerCase() !== id) return undefined;
  const [payer, input, amountIn, output, amountOut] = wordsOf(next.data, 7);
  const same = wordAddress(payer) === from && wordAddress(output) === token && wordUint(amountOut) === amount;
  return same ? { currency: wordAddress(input), amount: wordUint(amountIn) } : undefined;
}
