import type { CallData, Hex } from '@causeway/core';
import { type Provider, RpcError, sideOf } from '@causeway/core/rpc';
import type { FailReason } from './fail-reason.js';
import { type CallFrame, withInner } from './inner-revert.js';
import { type DecodedRevert, decodeRevert, revertData } from './reverts.js';
import type { RpcReceipt, RpcTransaction } from './rpc/types.js';

const UNNAMED = 'TRANSACTION_REVERTED';

export interface Failure {
  readonly reason: FailReason;
  readonly message: string;
  readonly call: CallData;
}

/**
 * Why a mined transaction of ours reverted: from its trace where the node offers one, else by calling it again on
 * top of its block, which can differ when something else changed in that block. A guess is only ever wording:
 * that it reverted is the receipt's word.
 */
export async function explainRevert(
  provider: Provider,
  transaction: RpcTransaction,
  receipt: RpcReceipt,
): Promise<Failure> {
  const call: CallData = {
    from: transaction.from.toLowerCase(),
    to: (transaction.to ?? '0x').toLowerCase(),
    data: transaction.input,
    value: BigInt(transaction.value).toString(),
  };
  const output =
    (await traced(provider, transaction.hash, true))?.output ?? (await replayed(provider, transaction, receipt));
  if ((output === undefined || output === '0x') && BigInt(receipt.gasUsed) >= BigInt(transaction.gas)) {
    return { reason: 'QUOTED_GAS_LIMIT_EXCEEDED', message: `ran out of ${BigInt(transaction.gas)} gas`, call };
  }
  if (output === undefined) return { reason: 'TRANSACTION_REVERTED', message: 'reverted', call };
  const { reason, message } = await inner(provider, transaction.hash, decodeRevert(output, UNNAMED));
  return { reason, message, call };
}

/** A contract between may have passed on less than it was told: the whole trace knows. */
async function inner(provider: Provider, hash: Hex, revert: DecodedRevert): Promise<DecodedRevert> {
  if (revert.name !== 'CallFailed' || revert.reason !== UNNAMED) return revert;
  const frame = await traced(provider, hash, false);
  return frame === undefined ? revert : withInner(revert, frame, UNNAMED);
}

async function traced(provider: Provider, hash: Hex, onlyTopCall: boolean): Promise<CallFrame | undefined> {
  try {
    const { rpc } = sideOf(provider, 'traces');
    const options = { tracer: 'callTracer', tracerConfig: { onlyTopCall } };
    return (await rpc.request<CallFrame | null>('debug_traceTransaction', [hash, options])) ?? undefined;
  } catch {
    // Traces are optional, and slow ones are no reason to call a provider dead.
    return undefined;
  }
}

async function replayed(
  provider: Provider,
  transaction: RpcTransaction,
  receipt: RpcReceipt,
): Promise<Hex | undefined> {
  const { from, to, input, value, gas, authorizationList } = transaction;
  const carried = authorizationList === undefined ? {} : { authorizationList };
  try {
    await provider.rpc.request('eth_call', [{ from, to, data: input, value, gas, ...carried }, receipt.blockNumber]);
    return undefined;
  } catch (error) {
    if (error instanceof RpcError) return revertData(error);
    throw error;
  }
}
