import type { ChainConfig } from './chain-config.js';

/** Blocks that must follow a deposit of this value before it may be acted upon; 0: it is in a block. */
export function acceptDepth({ tiers, depth }: Pick<ChainConfig, 'tiers' | 'depth'>, valueMicroUsd: bigint): number {
  return tiers.find(({ belowMicroUsd }) => valueMicroUsd < belowMicroUsd)?.depth ?? depth;
}
