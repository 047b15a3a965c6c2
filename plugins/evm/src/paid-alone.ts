import type { DepositObservation } from '@causeway/core';
import type { Providers } from '@causeway/core/rpc';
import { included } from './included.js';
import type { RpcTransaction } from './rpc/types.js';

/**
 * Whether the named depositor signed the included transaction and paid its fee. The event alone proves nothing: a
 * caller of the depository may name any depositor.
 *
 * False if no provider shows the transaction in a block. Rejects if none answers.
 */
export async function paidAlone(
  providers: Providers,
  { transactionHash, depositor }: Pick<DepositObservation, 'transactionHash' | 'depositor'>,
): Promise<boolean> {
  const found = await included<RpcTransaction>(providers, 'eth_getTransactionByHash', transactionHash);
  // guard: evm-sole-payer
  return found?.from.toLowerCase() === depositor;
}
