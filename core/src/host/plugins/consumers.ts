import type { DependencyContainer } from 'tsyringe';
import type { Currency } from '../../contract/currency.js';
import type { PriceSource } from '../../contract/prices.js';
import type { LoadedConfig } from '../config/load-config.js';
import { CORE } from '../core-tokens.js';
import type { Declined, OwnedRegistry, Unused } from '../registries.js';
import type { Registries } from './registries-of-application.js';

export const CONSUMERS = {
  api: 'the API',
  engine: 'the engine',
  dispatcher: 'the dispatcher',
  store: 'the store',
  traces: 'the traces',
  plugins: 'other plugins',
} as const;

type Role = LoadedConfig['service']['roles'][number];

/**
 * Declares which parts of this process use each registry. Items of a registry without consumers are reported as
 * unused.
 */
export function declareConsumers(config: Pick<LoadedConfig, 'service' | 'bindings'>, registries: Registries): void {
  const { chains, liquidity, prices, screeners, notifiers, channels, tracers, signers, stores, routes } = registries;
  const isAlone = stores.all().length === 0;
  /** The embedded database serves one process, so no other process can take these roles. */
  const without = (...wanted: readonly Role[]): Declined | undefined => {
    if (wanted.some((role) => config.service.roles.includes(role))) return undefined;
    const why = `service.roles has no ${wanted.join(' or ')}`;
    return isAlone ? { why } : { why: `${why} here; another process has to`, elsewhere: true };
  };
  const pays = () => without('worker', 'api');

  chains.declare({ name: CONSUMERS.engine, declines: pays });
  prices.declare({
    name: CONSUMERS.engine,
    declines: (source) => pays() ?? neverAsked(source, prices.all(), currenciesOf(registries)),
  });
  liquidity.declare({
    name: CONSUMERS.engine,
    declines: (source) => {
      const served = chains.all().some(({ facts }) => source.supports(facts.id));
      return pays() ?? (served ? undefined : { why: 'no chain that it supports is configured' });
    },
  });
  // The API checks before quotes, the engine before payments.
  screeners.declare({ name: CONSUMERS.engine, declines: pays });
  notifiers.declare({ name: CONSUMERS.dispatcher, declines: () => without('dispatcher') });
  channels.declare({ name: CONSUMERS.dispatcher, declines: () => without('dispatcher') });
  tracers.declare({ name: CONSUMERS.traces, declines: () => without('worker', 'api') });
  signers.declare({
    name: CONSUMERS.plugins,
    declines: (signer) =>
      signers.isAsked(signer) ? undefined : { why: `no option names it as remote:${signer.id}#…` },
  });
  routes.declare({ name: CONSUMERS.api, declines: () => without('api') });
  stores.declare({
    name: CONSUMERS.store,
    declines: ({ owner }) => {
      const { store: chosen } = config.bindings;
      return chosen === undefined || chosen === owner ? undefined : { why: `bindings.store is ${chosen}` };
    },
  });
}

interface Composed {
  readonly plugins: readonly { readonly id: string }[];
  readonly container: DependencyContainer;
}

/** Unused contributions in registry order; then plugins without any. */
export function unusedOf({ plugins, container }: Composed): readonly Unused[] {
  const all: readonly OwnedRegistry<unknown>[] = Object.values(container.resolve(CORE.registries));
  const active = new Set([
    ...all.flatMap((registry) => registry.owned().map(({ owner }) => owner)),
    ...container.resolve(CORE.lifecycle).owners(),
    ...container.resolve(CORE.services).owners(),
  ]);
  const idle = plugins.filter(({ id }) => !active.has(id));
  return [
    ...all.flatMap((registry) => registry.unused()),
    ...idle.map(({ id }): Unused => ({ owner: id, what: 'it', why: 'it registers nothing' })),
  ];
}

function currenciesOf({ chains }: Registries): readonly Currency[] {
  return chains.all().flatMap((chain) => chain.currencies());
}

/** A source is queried only for what no earlier source knows. */
function neverAsked(
  source: PriceSource,
  all: readonly PriceSource[],
  currencies: readonly Currency[],
): Declined | undefined {
  const before = all.slice(0, all.indexOf(source));
  const known = currencies.filter((currency) => source.price(currency) !== undefined);
  if (known.length === 0) return { why: 'it prices no currency that is configured' };
  const first = known.some((currency) => before.every((other) => other.price(currency) === undefined));
  return first ? undefined : { why: 'sources before it price all that it knows, and the first that knows answers' };
}
