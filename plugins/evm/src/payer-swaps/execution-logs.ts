import type { BlockRef, ExecutionObservation, Hex } from '@causeway/core';
import { toEventSelector } from 'viem/utils';
import { swapEntryAbi } from '../abi.js';
import type { RpcLog } from '../rpc/types.js';
import { wordAddress, wordsOf, wordUint } from '../words.js';

export const EXECUTION_TOPIC = toEventSelector(swapEntryAbi[3]);

/** Any contract can emit the same event: the emitting address decides. */
export function isExecutionLog(swapEntry: Hex | undefined, { address, topics: [event] }: RpcLog): boolean {
  return address.toLowerCase() === swapEntry && event === EXECUTION_TOPIC;
}

/**
 * Expects *all* execution logs of whole blocks.
 *
 * Invariant: the id is `<chain id>:<transaction hash>:<order id>:<n>`, n counting the order's events within the
 * transaction from 0, so that it survives re-inclusion, where other orders of the transaction may be missing.
 */
export function observeExecutions(
  chainId: number,
  logs: readonly RpcLog[],
  blockOf: (log: RpcLog) => BlockRef,
  finalizedHeight: number,
): readonly ExecutionObservation[] {
  const ordered = [...logs].sort(
    (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
  );
  const counts = new Map<string, number>();
  return ordered.map((log) => {
    const transactionHash = log.transactionHash.toLowerCase();
    const execution = executionOf(log);
    const name = `${chainId}:${transactionHash}:${execution.orderId}`;
    const n = counts.get(name) ?? 0;
    counts.set(name, n + 1);
    const block = blockOf(log);
    const state = block.height <= finalizedHeight ? 'final' : 'included';
    return { id: `${name}:${n}`, chainId, transactionHash, ...execution, state, block };
  });
}

function executionOf({ topics, data }: RpcLog) {
  const [payer, recipient, input, amountIn, output, amountOut, feeTo, fee] = wordsOf(data, 8);
  return {
    orderId: (topics[1] ?? '0x').toLowerCase() as Hex,
    payer: wordAddress(payer),
    recipient: wordAddress(recipient),
    input: wordAddress(input),
    amountIn: wordUint(amountIn),
    output: wordAddress(output),
    amountOut: wordUint(amountOut),
    feeTo: wordAddress(feeTo),
    fee: wordUint(fee),
  };
}
