import type { DependencyContainer } from 'tsyringe';
import type { ChainAdapter } from '../contract/chain-adapter.js';
import { OptionError } from '../contract/probes.js';
import type { Custodian } from '../domain/custodians.js';
import { parseUnits } from '../domain/money.js';
import type { ServicePolicy } from '../domain/policy.js';
import { type ConfiguredPlugin, type LoadedConfig, type LoadOptions, loadConfig } from './config/load-config.js';
import { servicePolicy } from './config/policy.js';
import { ConfigError, type ConfigProblem } from './config/problems.js';
import { durationMs } from './config/units.js';
import { createContainer, type Overrides } from './container.js';
import { CORE } from './core-tokens.js';
import { KeyReferenceError } from './keys.js';
import { declareConsumers } from './plugins/consumers.js';
import { pluginContext } from './plugins/plugin-context.js';
import { inDependencyOrder } from './plugins/plugin-order.js';

export interface Assembly {
  readonly config: LoadedConfig;
  readonly container: DependencyContainer;
  /** In dependency order. */
  readonly plugins: readonly ConfiguredPlugin[];
  readonly policy: ServicePolicy;
}

/**
 * Opens and starts nothing.
 *
 * @throws ConfigError with every problem of the config, its plugins and their combination at once.
 */
export async function loadAssembly(
  path: string,
  options: LoadOptions = {},
  overrides: Overrides = {},
): Promise<Assembly> {
  return assemble(await loadConfig(path, { ...options, examineRest: restProblems }), overrides);
}

/** Problems of a config without its faulty plugins. Nothing that these might have provided is reported as missing. */
export function restProblems(rest: LoadedConfig): readonly ConfigProblem[] {
  return compose(rest, { writeLog: () => undefined }, true).problems;
}

/** As `restProblems`, where what `setUp` makes may be missing. */
export function restBeforeSetUp(rest: LoadedConfig): readonly ConfigProblem[] {
  return compose(rest, { writeLog: () => undefined, settingUp: true }, true).problems;
}

/** What a start would refuse, though set-up would not: options that set-up makes. */
export function leftBySetUp(config: LoadedConfig): readonly ConfigProblem[] {
  return compose(config, { writeLog: () => undefined }, false).problems;
}

/**
 * Opens and starts nothing.
 *
 * @throws ConfigError with every problem that plugins and their combination have, at once.
 */
export function assemble(config: LoadedConfig, overrides: Overrides = {}): Assembly {
  const { container, plugins, custodians, problems } = compose(config, overrides, false);
  if (problems.length > 0) throw new ConfigError(problems);
  const [first] = container.resolve(CORE.registries).chains.all();
  const solverChain = config.service.solverChain ?? first?.facts.name ?? '';
  return { config, container, plugins, policy: servicePolicy(config.service, solverChain, custodians) };
}

/** @param lacking faulty plugins were removed from the config. */
function compose(config: LoadedConfig, overrides: Overrides, lacking: boolean) {
  const { ordered: plugins, problems: ofOrder } = inDependencyOrder(config, lacking);
  const container = createContainer(config, overrides);
  const problems = [...ofOrder];
  const failed = new Set<string>();
  for (const configured of plugins) {
    const providers = providersFor(configured, plugins);
    // A plugin whose dependency failed is not reported itself.
    if (providers.some((id) => failed.has(id))) failed.add(configured.id);
    if (failed.has(configured.id)) continue;
    try {
      configured.plugin.register(pluginContext(container, configured, providers, overrides.settingUp ?? false));
    } catch (error) {
      failed.add(configured.id);
      problems.push(registerProblem(config, configured, error));
    }
  }
  const incomplete = lacking || problems.length > 0;
  problems.push(...combinationProblems(config, container, incomplete));
  const registries = container.resolve(CORE.registries);
  declareConsumers(config, registries);
  const custodians = custodiansOf(config, registries.chains.all(), problems, incomplete);
  return { container, plugins, custodians, problems };
}

/** Canonical addresses; invalid ones are added to the problems. */
function custodiansOf(
  config: LoadedConfig,
  chains: readonly ChainAdapter[],
  problems: ConfigProblem[],
  incomplete: boolean,
): ServicePolicy['custodians'] {
  const found = new Map<number, Map<string, Custodian>>();
  for (const [n, { chainId, addresses, needsMemo }] of config.service.custodians.entries()) {
    const chain = chains.find(({ facts }) => facts.id === chainId);
    const place = ['service', 'custodians', n];
    if (!chain) {
      if (!incomplete) problems.push(config.problem([...place, 'chainId'], `chain ${chainId} is not configured`));
      continue;
    }
    const known = found.get(chainId) ?? new Map<string, Custodian>();
    for (const [i, address] of addresses.entries()) {
      const parsed = chain.parseAddress(address);
      if (parsed.ok) known.set(parsed.value, { needsMemo });
      else problems.push(config.problem([...place, 'addresses', i], `${address}: ${parsed.reason}`));
    }
    found.set(chainId, known);
  }
  return found;
}

function providersFor(configured: ConfiguredPlugin, plugins: readonly ConfiguredPlugin[]): readonly string[] {
  const wanted = configured.plugin.dependsOn ?? [];
  return plugins.filter(({ id, plugin }) => wanted.includes(plugin.id) || wanted.includes(id)).map(({ id }) => id);
}

export function registerProblem(config: LoadedConfig, configured: ConfiguredPlugin, error: unknown): ConfigProblem {
  if (error instanceof KeyReferenceError) {
    const where = config.find(error.reference) ?? ['plugins', configured.index, 'use'];
    return { ...config.problem(where, error.message, error.advice), plugin: configured.id };
  }
  const message = config.redactor.clean(error instanceof Error ? error.message : String(error));
  if (error instanceof OptionError) return config.optionProblem(configured, error.optionPath, message);
  return { ...config.problem(['plugins', configured.index, 'use'], message), plugin: configured.id };
}

/**
 * No fill is signed nearer to its deadline than its chain's finality, so that the outcome is proven in time. With a
 * shorter order lifetime every deposit would be refunded.
 */
function deadlineProblems(config: LoadedConfig, chains: readonly ChainAdapter[]): ConfigProblem[] {
  const { ttl, deadlineMargin } = config.service.orders;
  const short = chains.filter(({ facts }) => durationMs(ttl) <= facts.finalityMs + durationMs(deadlineMargin));
  if (short.length === 0) return [];
  const [first, ...rest] = short.map(({ facts }) => facts).sort((a, b) => b.finalityMs - a.finalityMs);
  if (first === undefined) return [];
  const others = rest.length === 0 ? '' : `, nor on ${rest.map(({ name }) => name).join(', ')}`;
  const needed = Math.ceil((first.finalityMs + durationMs(deadlineMargin) + 1) / 60_000);
  return [
    config.problem(
      ['service', 'orders', 'ttl'],
      `${ttl} is too short to pay out on ${first.name}${others}: it is final after up to ${Math.ceil(first.finalityMs / 1_000)} s, and no fill is sent nearer to its deadline than that and service.orders.deadlineMargin (${deadlineMargin})`,
      `at least ${needed}m, and twice that leaves time to fill; or a smaller finalityMs of the chain, where it is known to be final sooner`,
    ),
  ];
}

function combinationProblems(
  config: LoadedConfig,
  container: DependencyContainer,
  incomplete: boolean,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const { chains, stores } = container.resolve(CORE.registries);
  const { network, solverChain } = config.service;
  for (const { item, owner } of chains.owned()) {
    if (item.facts.network === network) continue;
    const configured = config.plugins.find(({ id }) => id === owner);
    const message = `chain ${item.facts.id} is a ${item.facts.network} chain, but this service is for ${network}`;
    problems.push({
      ...config.problem(
        ['plugins', configured?.index ?? 0, 'use'],
        message,
        'one process serves one network: change service.network or remove the chain',
      ),
      plugin: owner,
    });
  }
  problems.push(...deadlineProblems(config, chains.all()));
  if (!incomplete) problems.push(...balanceProblems(config, chains.all()), ...targetProblems(config, chains.all()));
  const names = chains.all().map(({ facts }) => facts.name);
  if (!incomplete && names.length === 0) {
    problems.push(
      config.problem(['plugins'], 'no plugin provides a chain', 'add a chain plugin with at least one chain'),
    );
  }
  if (!incomplete && solverChain !== undefined && !names.includes(solverChain)) {
    problems.push(
      config.problem(
        ['service', 'solverChain'],
        'is not the name of a configured chain',
        `chains: ${names.join(', ')}`,
      ),
    );
  }
  const owners = stores.all().map(({ owner }) => owner);
  problems.push(...storeProblems(config, owners, incomplete));
  return problems;
}

function balanceProblems(config: LoadedConfig, chains: readonly ChainAdapter[]): ConfigProblem[] {
  const { currencies = [] } = config.service.appBalances ?? {};
  return currencyProblems(config, chains, ['service', 'appBalances', 'currencies'], currencies);
}

function targetProblems(config: LoadedConfig, chains: readonly ChainAdapter[]): ConfigProblem[] {
  const list = ['service', 'inventory', 'targets'];
  const { targets } = config.service.inventory;
  const unknown = currencyProblems(config, chains, list, targets);
  if (unknown.length > 0) return unknown;
  const seen = new Set<string>();
  return targets.flatMap(({ chainId, currency, target, min }, n) => {
    const chain = chains.find(({ facts }) => facts.id === chainId);
    const known = chain?.currencies().find(({ symbol }) => symbol === currency) ?? chain?.currency(currency);
    if (known === undefined) return [];
    const id = `${chainId}:${known.address}`;
    if (seen.has(id)) return [config.problem([...list, n, 'currency'], 'has a target already')];
    seen.add(id);
    const [most, least] = [parseUnits(target, known.decimals), parseUnits(min, known.decimals)];
    if (!most.ok) return [config.problem([...list, n, 'target'], most.reason)];
    if (!least.ok) return [config.problem([...list, n, 'min'], least.reason)];
    return least.amount > most.amount ? [config.problem([...list, n, 'min'], 'is above the target')] : [];
  });
}

/** @param list whose items name a currency of a configured chain. */
function currencyProblems(
  config: LoadedConfig,
  chains: readonly ChainAdapter[],
  list: readonly string[],
  items: readonly { readonly chainId: number; readonly currency: string }[],
): ConfigProblem[] {
  return items.flatMap(({ chainId, currency }, n) => {
    const place = [...list, n];
    const chain = chains.find(({ facts }) => facts.id === chainId);
    if (!chain) return [config.problem([...place, 'chainId'], `chain ${chainId} is not configured`)];
    const named = chain.currencies().filter(({ symbol }) => symbol === currency);
    if (named.length === 1 || (named.length === 0 && chain.currency(currency))) return [];
    const known = chain.currencies().map(({ symbol, address }) => `${symbol} (${address})`);
    const what =
      named.length === 0
        ? 'is no currency of that chain'
        : 'is the symbol of several currencies: name one by its address';
    return [config.problem([...place, 'currency'], what, `currencies: ${known.join(', ')}`)];
  });
}

function storeProblems(config: LoadedConfig, owners: readonly string[], incomplete: boolean): ConfigProblem[] {
  const bound = config.bindings.store;
  if (bound !== undefined && !owners.includes(bound)) {
    if (incomplete) return [];
    return [
      config.problem(
        ['bindings', 'store'],
        'names no plugin that provides a store',
        `such plugins: ${owners.join(', ') || 'none'}`,
      ),
    ];
  }
  if (bound === undefined && owners.length > 1) {
    const both = owners.map((owner) => `"${owner}"`).join(' and ');
    return [config.problem(['bindings'], `both ${both} provide a store`, 'choose one under bindings.store')];
  }
  const roles = config.service.roles;
  if (!incomplete && owners.length === 0 && !(roles.includes('api') && roles.includes('worker'))) {
    const advice = 'use the roles api, worker and dispatcher, or a storage plugin';
    return [
      config.problem(
        ['service', 'roles'],
        'the embedded database serves one process, which must do everything',
        advice,
      ),
    ];
  }
  return [];
}
