import type { ConfiguredPlugin, LoadedConfig } from '../config/load-config.js';
import { ConfigError, type ConfigProblem } from '../config/problems.js';

/**
 * Plugins in an order in which each comes after what it depends on; otherwise as in the config.
 *
 * @throws ConfigError for missing and circular dependencies, all at once.
 */
export function inDependencyOrder(config: LoadedConfig): readonly ConfiguredPlugin[] {
  const problems: ConfigProblem[] = [];
  const ordered: ConfiguredPlugin[] = [];
  const state = new Map<ConfiguredPlugin, 'open' | 'done'>();

  const report = (plugin: ConfiguredPlugin, message: string, advice: string) =>
    problems.push({ ...config.problem(['plugins', plugin.index, 'use'], message, advice), plugin: plugin.id });

  const visit = (plugin: ConfiguredPlugin, chain: readonly string[]): void => {
    if (state.get(plugin) === 'done') return;
    if (state.get(plugin) === 'open') {
      report(
        plugin,
        `plugins depend on each other: ${[...chain, plugin.id].join(' -> ')}`,
        'this is a fault of the plugins',
      );
      return;
    }
    state.set(plugin, 'open');
    for (const wanted of plugin.plugin.dependsOn ?? []) {
      const found = config.plugins.filter((other) => other.plugin.id === wanted || other.id === wanted);
      if (found.length === 0)
        report(
          plugin,
          `plugin ${plugin.id} needs plugin ${wanted}, which is not configured`,
          `add an entry for ${wanted} to plugins`,
        );
      for (const other of found) visit(other, [...chain, plugin.id]);
    }
    state.set(plugin, 'done');
    ordered.push(plugin);
  };

  for (const plugin of config.plugins) visit(plugin, []);
  if (problems.length > 0) throw new ConfigError(problems);
  return ordered;
}
