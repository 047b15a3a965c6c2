import type { DepositObservation } from '@causeway/core';
import type { Providers } from '@causeway/core/rpc';
import { included } from './included.js';
import type { RpcTransaction } from './rpc/types.js';

/**
 * Whether the depositor that the event names is who signed the included transaction and paid its fee. The event alone proves
 * nothing: whoever deposits may name anybody.
 *
 * False where nobody shows the transaction in a block. Rejects where nobody answers.
 */
export async function paidAlone(
  providers: Providers,
  { transactionHash, depositor }: Pick<DepositObservation, 'transactionHash' | 'depositor'>,
): Promise<boolean> {
  const found = await included<RpcTransaction>(providers, 'eth_getTransactionByHash', transactionHash);
  return found?.from.toLowerCase() === depositor;
}
