import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import { type LaneRef, type LegKind, laneThatSends } from '../../contract/legs.js';
import { chainOf, type EngineContext } from './context.js';

export function laneFor(context: Pick<EngineContext, 'chains'>, chainId: ChainId, kind: LegKind): string {
  const lane = laneThatSends(chainOf(context, chainId).lanes, kind);
  if (!lane) throw new Error(`chain ${chainId} has no lane that sends ${kind} legs`);
  return lane.signer;
}

/** Else its balance is gas, and the depository holds the funds. */
export function hasInventory({ pot }: Pick<LaneRef, 'pot'>): boolean {
  return pot !== 'depository';
}

export function isVault({ lanes }: Pick<ChainAdapter, 'lanes'>, signer: string): boolean {
  return lanes.some((lane) => lane.signer === signer && !hasInventory(lane));
}

export function laneId(chainId: ChainId, signer: string): string {
  return `${chainId}:${signer}`;
}
