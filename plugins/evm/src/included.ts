import type { Hex } from '@causeway/core';
import { isTransportError, type Providers, TransportError } from '@causeway/core/rpc';

const HASH = /^0x[0-9a-fA-F]{64}$/;

/** From the first provider that shows the transaction in a block. Undefined if none does; rejects if none answers. */
export async function included<T extends { readonly blockHash: Hex | null }>(
  providers: Providers,
  method: 'eth_getTransactionByHash' | 'eth_getTransactionReceipt',
  transactionHash: string,
): Promise<T | undefined> {
  if (!HASH.test(transactionHash)) return undefined;
  let failure: TransportError | undefined;
  let answered = false;
  for (const provider of providers.usable()) {
    try {
      const found = await provider.rpc.request<T | null>(method, [transactionHash]);
      answered = true;
      if (found !== null && found.blockHash !== null) return found;
    } catch (error) {
      if (!isTransportError(error)) throw error;
      providers.failed(provider, error);
      failure = error;
    }
  }
  if (!answered) throw failure ?? new TransportError(providers.problem() ?? 'no provider', 'none');
  return undefined;
}
