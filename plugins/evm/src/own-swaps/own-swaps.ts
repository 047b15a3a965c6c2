import type { Hex, OwnSwaps } from '@causeway/core';
import { accountOf } from '../call-account.js';
import type { ChainConfig } from '../chain-config.js';
import type { FeeSource } from '../fees.js';
import { ownSwapCost } from './costs.js';
import { ownSwapSteps } from './steps.js';

/** What users execute through the entry. */
export function ownSwaps(config: ChainConfig, entry: Hex, fees: FeeSource): OwnSwaps {
  return Object.freeze({
    steps: (swap) => ownSwapSteps(config, entry, fees, swap),
    account: (orderId, payer) => accountOf(entry, orderId, payer),
    cost: (costs) => ownSwapCost(fees, costs),
  } satisfies OwnSwaps);
}
