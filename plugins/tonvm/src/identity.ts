import type { Identity } from '@causeway/core/rpc';
import type { Toncenter } from './http/toncenter.js';

interface MasterchainInfo {
  readonly init: { readonly root_hash: string };
}

export async function identify(rpc: Toncenter, zeroState: string): Promise<Identity> {
  const { init } = await rpc.call<MasterchainInfo>('getMasterchainInfo');
  const reported = Buffer.from(init.root_hash, 'base64').toString('hex');
  if (reported === zeroState) return { is: 'right' };
  return { is: 'foreign', reason: `serves the network that begins with ${reported} instead of ${zeroState}` };
}
