import type { ConfiguredPlugin, LoadedConfig } from '../config/load-config.js';
import type { ConfigProblem } from '../config/problems.js';

export interface PluginOrder {
  readonly ordered: readonly ConfiguredPlugin[];
  readonly problems: readonly ConfigProblem[];
}

/**
 * Dependencies first; otherwise config order. Omits plugins with missing or circular dependencies, and their
 * dependants.
 *
 * @param incomplete the config lacks faulty plugins: dependencies on them are not problems.
 */
export function inDependencyOrder(config: LoadedConfig, incomplete: boolean): PluginOrder {
  const problems: ConfigProblem[] = [];
  const ordered: ConfiguredPlugin[] = [];
  const state = new Map<ConfiguredPlugin, 'open' | 'done' | 'left out'>();

  const report = (plugin: ConfiguredPlugin, message: string, advice: string) =>
    problems.push({ ...config.problem(['plugins', plugin.index, 'use'], message, advice), plugin: plugin.id });

  const visit = (plugin: ConfiguredPlugin, chain: readonly string[]): boolean => {
    const known = state.get(plugin);
    if (known === 'open') {
      report(
        plugin,
        `plugins depend on each other: ${[...chain, plugin.id].join(' -> ')}`,
        'this is a fault of the plugins',
      );
      return false;
    }
    if (known !== undefined) return known === 'done';
    state.set(plugin, 'open');
    let isWhole = true;
    for (const wanted of plugin.plugin.dependsOn ?? []) {
      const found = config.plugins.filter((other) => other.plugin.id === wanted || other.id === wanted);
      if (found.length === 0) isWhole = false;
      if (found.length === 0 && !incomplete)
        report(
          plugin,
          `plugin ${plugin.id} needs plugin ${wanted}, which is not configured`,
          `add an entry for ${wanted} to plugins`,
        );
      for (const other of found) isWhole = visit(other, [...chain, plugin.id]) && isWhole;
    }
    state.set(plugin, isWhole ? 'done' : 'left out');
    if (isWhole) ordered.push(plugin);
    return isWhole;
  };

  for (const plugin of config.plugins) visit(plugin, []);
  return { ordered, problems };
}
