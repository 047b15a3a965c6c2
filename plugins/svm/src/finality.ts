import { type ChainConfig, FINAL_DEPTH } from './chain-config.js';

/**
 * Slots that must follow a deposit of this value. What is seen is confirmed already: two thirds of the stake voted for its
 * block, which no fork has outlived yet.
 */
export function acceptDepth({ tiers }: Pick<ChainConfig, 'tiers'>, valueMicroUsd: bigint): number {
  return tiers.find(({ belowMicroUsd }) => valueMicroUsd < belowMicroUsd)?.depth ?? FINAL_DEPTH;
}
