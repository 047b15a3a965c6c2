import { type ChainConfig, FINAL_DEPTH } from './chain-config.js';

/**
 * A seen deposit is already confirmed: two thirds of the stake voted for its block, and no such block has been
 * reverted yet.
 */
export function acceptDepth({ tiers }: Pick<ChainConfig, 'tiers'>, valueMicroUsd: bigint): number {
  return tiers.find(({ belowMicroUsd }) => valueMicroUsd < belowMicroUsd)?.depth ?? FINAL_DEPTH;
}
