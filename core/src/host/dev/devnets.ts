import type { Devnet, DevnetChainPlan } from '../../contract/devnet.js';
import type { ConfiguredPlugin, LoadedConfig } from '../config/load-config.js';
import { loadEntry } from '../plugins/resolve-plugin.js';

/** A configured plugin with the local chains that its options ask for. */
export interface PlannedDevnet {
  readonly plugin: ConfiguredPlugin;
  readonly devnet: Devnet;
  readonly chains: readonly DevnetChainPlan[];
}

export async function loadDevnet(use: string, directory: string): Promise<Devnet | undefined> {
  const entry = (await loadEntry(use, 'devnet', directory)) as { readonly devnet?: Devnet } | undefined;
  return entry?.devnet;
}

export async function planDevnets(config: LoadedConfig): Promise<readonly PlannedDevnet[]> {
  const planned: PlannedDevnet[] = [];
  for (const plugin of config.plugins) {
    const devnet = await loadDevnet(plugin.use, config.directory);
    if (devnet) planned.push({ plugin, devnet, chains: devnet.plan(plugin.options) });
  }
  return planned;
}
