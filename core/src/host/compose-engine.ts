import { type Requote, requoteBy } from '../capabilities/deposit-addresses/requote.js';
import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { ChainId } from '../contract/ids.js';
import type { Store } from '../contract/store.js';
import type { PriceBook } from '../domain/price-book.js';
import { createEngine, type Engine } from '../engine/index.js';
import { createQuoter } from '../quoting/quoter.js';
import { Rehearsal } from '../rehearsal/rehearsal.js';
import { Screening } from '../screening/screening.js';
import type { Assembly } from './assemble.js';
import { composeEndpoints } from './compose-endpoints.js';
import { CORE } from './core-tokens.js';
import { CONSUMERS } from './plugins/consumers.js';
import { priceBook } from './price-book.js';

export interface Runtime {
  readonly store: Store;
  readonly chains: ReadonlyMap<ChainId, ChainAdapter>;
  readonly prices: PriceBook;
  readonly screening: Screening;
  readonly engine: Engine;
  /** Absent: the service serves. */
  readonly rehearsal?: Rehearsal;
}

/** @param onDatabaseWentBack called once, by the first part that detects it. */
export function composeRuntime(
  assembly: Assembly,
  store: Store,
  onDatabaseWentBack: () => void,
  draining = false,
): Runtime {
  const { config, container, policy } = assembly;
  const registries = container.resolve(CORE.registries);
  const log = container.resolve(CORE.log);
  const chains = new Map(registries.chains.takenBy(CONSUMERS.engine).map((chain) => [chain.facts.id, chain]));
  const prices = priceBook(registries.prices.takenBy(CONSUMERS.engine));
  const screening = new Screening(registries.screeners.takenBy(CONSUMERS.engine), {
    clock: container.resolve(CORE.clock),
    log: log.child({ part: 'screening' }),
    metrics: container.resolve(CORE.metrics).view('screening'),
    alerts: container.resolve(CORE.alerts).view('screening'),
  });
  const rehearsal = composeRehearsal(assembly, store);
  const requote: Requote = (ask, request) => byQuoter(ask, request);
  const engine = createEngine({
    requote,
    store,
    ...(registries.channels.all().length === 0 ? {} : { endpoints: composeEndpoints(assembly, { store }) }),
    chains,
    prices,
    screening,
    liquidity: () => registries.liquidity.takenBy(CONSUMERS.engine),
    policy,
    service: config.keys.secp256k1(config.service.orderSigner ?? '').address,
    clock: container.resolve(CORE.clock),
    random: container.resolve(CORE.random),
    log: log.child({ part: 'engine' }),
    metrics: container.resolve(CORE.metrics).view('engine'),
    alerts: container.resolve(CORE.alerts).view('engine'),
    onDatabaseWentBack,
    draining,
    rehearsing: rehearsal !== undefined,
  });
  const quoter = createQuoter({
    store: engine.store,
    chains,
    prices,
    screening,
    liquidity: () => registries.liquidity.takenBy(CONSUMERS.engine),
    engine,
    policy,
    orderSigner: config.keys.secp256k1(config.service.orderSigner ?? ''),
    clock: container.resolve(CORE.clock),
    random: container.resolve(CORE.random),
    log: log.child({ part: 'addresses' }),
  });
  const byQuoter = requoteBy(quoter.body, chains);
  return { store: engine.store, chains, prices, screening, engine, ...(rehearsal && { rehearsal }) };
}

function composeRehearsal({ config, container }: Assembly, store: Store): Rehearsal | undefined {
  if (config.service.mode !== 'rehearsal') return undefined;
  const log = container.resolve(CORE.log).child({ part: 'rehearsal' });
  return new Rehearsal({ store, clock: container.resolve(CORE.clock), log });
}
