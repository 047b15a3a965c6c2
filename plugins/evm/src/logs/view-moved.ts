import { NotYetError } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import type { RpcBlock } from '../rpc/types.js';
import { quantity } from '../rpc/types.js';

/** The provider's view moved during a read: nothing was learnt, start over. */
export class ViewMoved extends NotYetError {
  override readonly name = 'ViewMoved';
}

export async function headerAt(provider: Provider, height: number): Promise<RpcBlock> {
  const block = await provider.rpc.request<RpcBlock | null>('eth_getBlockByNumber', [quantity(height), false]);
  if (block === null) throw new ViewMoved(`block ${height} is not there any more`);
  return block;
}
