import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { EngineContext } from '../base/context.js';
import { isShut } from './judge-payback.js';

/**
 * Whether the service may itself send a user's money into a chain now.
 *
 * Invariant: not into one whose deposits are not read. It would lie there unseen while its order expires.
 */
export function mayDeposit(context: Pick<EngineContext, 'pauses' | 'unserved'>, chain: ChainAdapter): boolean {
  const { id: chainId } = chain.facts;
  // guard: no-deposits-unread
  if (!chain.status().healthy || context.unserved(chainId) !== null) return false;
  return !isShut(context, { chainId });
}
