import type { Devnet, DevnetChainPlan } from '../../contract/devnet.js';
import type { ConfiguredPlugin, LoadedConfig } from '../config/load-config.js';
import { ConfigError } from '../config/problems.js';
import { loadEntry } from '../plugins/resolve-plugin.js';

export interface PlannedDevnet {
  readonly plugin: ConfiguredPlugin;
  readonly devnet: Devnet;
  readonly chains: readonly DevnetChainPlan[];
  readonly lacks?: string;
}

export async function loadDevnet(use: string, directory: string): Promise<Devnet | undefined> {
  const entry = (await loadEntry(use, 'devnet', directory)) as { readonly devnet?: Devnet } | undefined;
  return entry?.devnet;
}

/** @throws ConfigError where two chains have one id */
export async function planDevnets(config: LoadedConfig): Promise<readonly PlannedDevnet[]> {
  const planned: PlannedDevnet[] = [];
  for (const plugin of config.plugins) {
    const devnet = await loadDevnet(plugin.use, config.directory);
    if (!devnet) continue;
    const chains = devnet.plan(plugin.options);
    const lacks = chains.length > 0 ? devnet.unavailable?.() : undefined;
    planned.push({ plugin, devnet, chains, ...(lacks === undefined ? {} : { lacks }) });
  }
  refuseTwins(config, planned);
  return planned;
}

function refuseTwins(config: LoadedConfig, planned: readonly PlannedDevnet[]): void {
  const known = new Set<number>();
  for (const { plugin, chains } of planned)
    for (const { chainId } of chains) {
      if (known.has(chainId)) {
        const message = `chain ${chainId} is configured twice`;
        throw new ConfigError([config.optionProblem(plugin, 'chains', message, 'give each chain an id of its own')]);
      }
      known.add(chainId);
    }
}
