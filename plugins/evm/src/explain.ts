import type { CallData, Hex } from '@causeway/core';
import { type Provider, RpcError, sideOf } from '@causeway/core/rpc';
import type { ErrorRegistry } from './explain-call/error-registry.js';
import { readFailed } from './explain-call/trace.js';
import type { FailReason } from './fail-reason.js';
import { withInner } from './inner-revert.js';
import { type DecodedRevert, decodeRevert, revertData } from './reverts.js';
import type { RpcReceipt, RpcTransaction } from './rpc/types.js';

const UNNAMED = 'TRANSACTION_REVERTED';

export interface Failure {
  readonly reason: FailReason;
  readonly message: string;
  readonly call: CallData;
}

/**
 * From the trace if the node offers one, else from a repeated call on top of the block, which can differ if that
 * block changed other state. Only wording: the receipt proves the revert.
 */
export async function explainRevert(
  provider: Provider,
  transaction: RpcTransaction,
  receipt: RpcReceipt,
  errors: ErrorRegistry,
): Promise<Failure> {
  const call: CallData = {
    from: transaction.from.toLowerCase(),
    to: (transaction.to ?? '0x').toLowerCase(),
    data: transaction.input,
    value: BigInt(transaction.value).toString(),
  };
  const output =
    readFailed(await traced(provider, transaction.hash, true))?.output ??
    (await replayed(provider, transaction, receipt));
  if ((output === undefined || output === '0x') && BigInt(receipt.gasUsed) >= BigInt(transaction.gas)) {
    return { reason: 'QUOTED_GAS_LIMIT_EXCEEDED', message: `ran out of ${BigInt(transaction.gas)} gas`, call };
  }
  if (output === undefined) return { reason: 'TRANSACTION_REVERTED', message: 'reverted', call };
  const { reason, message } = await inner(provider, transaction.hash, decodeRevert(output, UNNAMED, errors), errors);
  return { reason, message, call };
}

/** Intermediate contracts may truncate revert data. */
async function inner(
  provider: Provider,
  hash: Hex,
  revert: DecodedRevert,
  errors: ErrorRegistry,
): Promise<DecodedRevert> {
  if (revert.name !== 'CallFailed' || revert.reason !== UNNAMED) return revert;
  return withInner(revert, await traced(provider, hash, false), UNNAMED, errors);
}

async function traced(provider: Provider, hash: Hex, onlyTopCall: boolean): Promise<unknown> {
  try {
    const { rpc } = sideOf(provider, 'traces');
    const options = { tracer: 'callTracer', tracerConfig: { onlyTopCall } };
    return await rpc.request<unknown>('debug_traceTransaction', [hash, options]);
  } catch {
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
