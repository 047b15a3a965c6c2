import type { ChainFacts } from '../../../contract/chain-adapter.js';
import type { Clock } from '../../../contract/clock.js';
import type { Currency } from '../../../contract/currency.js';
import type { Hex } from '../../../contract/ids.js';
import type { LaneRef } from '../../../contract/legs.js';
import type { Logger } from '../../../contract/observability.js';
import type { Rules } from '../rules.js';
import type { HeadFeed } from './head-feed.js';
import type { Openings } from './openings.js';
import type { ProviderSet } from './provider-set.js';

export interface FakeConfig {
  readonly facts: ChainFacts;
  readonly rules: Rules;
  readonly currencies: ReadonlyMap<string, Currency>;
  readonly signer: string;
  readonly lanes: readonly LaneRef[];
  readonly feeCap: bigint;
  readonly payerSwaps: boolean;
  readonly swapDeposits: boolean;
  readonly calls: boolean;
  readonly mappings: boolean;
  /** Of a deposit address from its salt. Absent: there are none. */
  readonly derive?: (salt: Hex) => string;
  readonly mostLegs: number;
  readonly quorum: { readonly aboveMicroUsd: bigint; readonly providers: number } | undefined;
  readonly acceptDepth: (valueMicroUsd: bigint) => number;
}

export interface AdapterParts {
  readonly config: FakeConfig;
  readonly providers: ProviderSet;
  readonly feed: HeadFeed;
  readonly openings: Openings;
  readonly wishes: Map<string, bigint>;
  readonly clock: Clock;
  readonly log: Logger | undefined;
}
