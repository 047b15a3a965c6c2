import type { ChainCapabilities } from './chain-capabilities.js';
import type { ChainCodec } from './chain-codec.js';
import type { ChainDeposits } from './chain-deposits.js';
import type { ChainHistory } from './chain-history.js';
import type { ChainOperations } from './chain-operations.js';
import type { ChainPayouts } from './chain-payouts.js';
import type { ChainState } from './chain-state.js';

export * from './chain-capabilities.js';
export * from './chain-codec.js';
export * from './chain-costs.js';
export * from './chain-deposits.js';
export * from './chain-facts.js';
export * from './chain-history.js';
export * from './chain-operations.js';
export * from './chain-payouts.js';
export * from './chain-state.js';
export * from './lane-keys.js';

/**
 * Everything core needs from one chain. Methods marked "no I/O" answer from memory; others may be slow and reject only
 * on infrastructure failure. What a chain cannot do is absent.
 */
export interface ChainAdapter
  extends ChainCodec,
    ChainState,
    ChainDeposits,
    ChainPayouts,
    ChainHistory,
    ChainOperations {
  readonly capabilities: ChainCapabilities;
}
