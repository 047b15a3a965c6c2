import type { DepositObservation } from '@causeway/core';
import type { Providers } from '@causeway/core/rpc';
import { included } from './included.js';
import type { RpcTransaction } from './rpc/types.js';

/**
 * Whether the depositor that the event names signed the included transaction and paid its fee. The event alone proves
 * nothing: a caller of the depository may name anybody.
 *
 * False where no provider shows the transaction in a block. Rejects where no provider answers.
 */
export async function paidAlone(
  providers: Providers,
  { transactionHash, depositor }: Pick<DepositObservation, 'transactionHash' | 'depositor'>,
): Promise<boolean> {
  const found = await included<RpcTransaction>(providers, 'eth_getTransactionByHash', transactionHash);
  return found?.from.toLowerCase() === depositor;
}
