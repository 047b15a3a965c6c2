import type { DepositObservation } from '@causeway/core';
import { isTransportError, type Providers, TransportError } from '@causeway/core/rpc';
import type { RpcTransaction } from './rpc/types.js';

const HASH = /^0x[0-9a-fA-F]{64}$/;

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
  if (!HASH.test(transactionHash)) return false;
  let failure: TransportError | undefined;
  let answered = false;
  for (const provider of providers.usable()) {
    try {
      const found = await provider.rpc.request<RpcTransaction | null>('eth_getTransactionByHash', [transactionHash]);
      answered = true;
      if (found !== null && found.blockHash !== null) return found.from.toLowerCase() === depositor;
    } catch (error) {
      if (!isTransportError(error)) throw error;
      providers.failed(provider, error);
      failure = error;
    }
  }
  if (!answered) throw failure ?? new TransportError(providers.problem() ?? 'no provider', 'none');
  return false;
}
