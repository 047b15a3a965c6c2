import type { ChainId } from '../../contract/ids.js';
import { chainOf, type EngineContext } from './context.js';

/** The lane that pays out on a chain. */
export function laneFor(context: EngineContext, chainId: ChainId): string {
  const lane = chainOf(context, chainId).lanes[0];
  if (!lane) throw new Error(`chain ${chainId} has no lane`);
  return lane.signer;
}

export function laneId(chainId: ChainId, signer: string): string {
  return `${chainId}:${signer}`;
}
