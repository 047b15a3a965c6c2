import type { ChainAdapter, Clock, Logger, PluginContext } from '@causeway/core';
import { codec } from './codec.js';
import { deposits } from './deposits.js';
import { chainFacts, currenciesOf } from './facts.js';
import { Feed } from './feed.js';
import { history } from './history.js';
import { Nodes } from './http/nodes.js';
import type { ChainOptions } from './options.js';
import { payouts } from './payouts.js';
import { probe } from './probe.js';
import { state } from './state.js';

/** Dependencies shared by all facets of one chain's adapter. */
export interface Chain {
  readonly options: ChainOptions;
  readonly facts: ChainAdapter['facts'];
  readonly currencies: ReturnType<typeof currenciesOf>;
  readonly nodes: Nodes;
  readonly feed: Feed;
  /** Signing key of the lane, resolved from `signer.key`. Never log it. */
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The adapter of one chain, composed of facets (one file each), and the feed that the plugin starts and stops. */
export function chainAdapter(
  options: ChainOptions,
  network: PluginContext<unknown>['network'],
  secret: string,
  clock: Clock,
  log: Logger,
): { readonly adapter: ChainAdapter; readonly feed: Feed } {
  const nodes = new Nodes(options.nodes, options.timeoutMs, clock);
  const feed = new Feed(nodes, clock, log);
  const currencies = currenciesOf(options);
  const chain: Chain = {
    ...{ options, currencies, nodes, feed, secret, clock, log },
    facts: chainFacts(options, network, currencies),
  };
  const adapter = {
    ...{ ...codec(chain), ...state(chain), ...deposits(chain), ...payouts(chain), ...history(chain) },
    // Optional features (`ChainCapabilities`): add them once the kit passes.
    capabilities: {},
    probe: (signal: AbortSignal) => probe(chain, signal),
  };
  return { adapter, feed };
}
