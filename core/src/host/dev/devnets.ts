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

export interface PlannedDevnets {
  readonly planned: readonly PlannedDevnet[];
  /** Plugins whose chains this machine cannot run. */
  readonly leftOut: readonly { readonly id: string; readonly why: string }[];
}

export async function planDevnets(config: LoadedConfig): Promise<PlannedDevnets> {
  const planned: PlannedDevnet[] = [];
  const leftOut: { id: string; why: string }[] = [];
  for (const plugin of config.plugins) {
    const devnet = await loadDevnet(plugin.use, config.directory);
    if (!devnet) continue;
    const chains = devnet.plan(plugin.options);
    const why = chains.length > 0 ? devnet.unavailable?.() : undefined;
    if (why === undefined) planned.push({ plugin, devnet, chains });
    else leftOut.push({ id: plugin.id, why });
  }
  return { planned, leftOut };
}
