import type { ChainConfig } from './chain-config.js';

/** Confirmations beyond the first that a deposit of this value needs. */
export function acceptDepth({ tiers, depth }: Pick<ChainConfig, 'tiers' | 'depth'>, valueMicroUsd: bigint): number {
  return tiers.find(({ belowMicroUsd }) => valueMicroUsd < belowMicroUsd)?.depth ?? depth;
}
