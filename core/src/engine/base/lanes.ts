import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import { type LaneRef, type LegKind, laneThatSends } from '../../contract/legs.js';
import { chainOf, type EngineContext } from './context.js';

/** Signer of the lane of a chain that sends legs of a kind. */
export function laneFor(context: Pick<EngineContext, 'chains'>, chainId: ChainId, kind: LegKind): string {
  const lane = laneThatSends(chainOf(context, chainId).lanes, kind);
  if (!lane) throw new Error(`chain ${chainId} has no lane that sends ${kind} legs`);
  return lane.signer;
}

/** Whether what its signer holds is inventory of the lane, or gas for what it sends; else the depository holds it. */
export function hasInventory({ pot }: Pick<LaneRef, 'pot'>): boolean {
  return pot !== 'depository';
}

/** Whether the account of a signer is the depository's. */
export function isVault({ lanes }: Pick<ChainAdapter, 'lanes'>, signer: string): boolean {
  return lanes.some((lane) => lane.signer === signer && !hasInventory(lane));
}

export function laneId(chainId: ChainId, signer: string): string {
  return `${chainId}:${signer}`;
}
