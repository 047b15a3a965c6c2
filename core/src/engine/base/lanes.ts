import type { ChainId } from '../../contract/ids.js';
import { type LegKind, laneThatSends } from '../../contract/legs.js';
import { chainOf, type EngineContext } from './context.js';

/** Signer of the lane of a chain that sends legs of a kind. */
export function laneFor(context: Pick<EngineContext, 'chains'>, chainId: ChainId, kind: LegKind): string {
  const lane = laneThatSends(chainOf(context, chainId).lanes, kind);
  if (!lane) throw new Error(`chain ${chainId} has no lane that sends ${kind} legs`);
  return lane.signer;
}

export function laneId(chainId: ChainId, signer: string): string {
  return `${chainId}:${signer}`;
}
