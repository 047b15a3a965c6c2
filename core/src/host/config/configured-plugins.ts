import type { Plugin } from '../../contract/plugin.js';
import { loadPlugin } from '../plugins/resolve-plugin.js';
import { satisfies } from '../plugins/semver.js';
import { CORE_VERSION } from '../version.js';
import type { ConfigFile } from './config-file.js';
import type { ConfigProblem } from './problems.js';
import { type SchemaFinding, validateAgainst } from './schema-validator.js';
import type { PluginEntry } from './service-options.js';
import { undescribed } from './undescribed.js';

export interface ConfiguredPlugin {
  readonly id: string;
  readonly use: string;
  readonly plugin: Plugin<never>;
  /** Validated, defaults filled in, deeply frozen. */
  readonly options: unknown;
  readonly index: number;
}

export interface ConfiguredPlugins {
  readonly plugins: readonly ConfiguredPlugin[];
  readonly unfit: ReadonlySet<number>;
  readonly problems: readonly ConfigProblem[];
}

export async function configuredPlugins(
  file: ConfigFile,
  entries: readonly PluginEntry[],
  directory: string,
): Promise<ConfiguredPlugins> {
  const problems: ConfigProblem[] = [];
  const plugins: ConfiguredPlugin[] = [];
  const unfit = new Set<number>();
  const loaded = await Promise.all(
    entries.map((entry) => (typeof entry?.use === 'string' ? loadPlugin(entry.use, directory) : undefined)),
  );
  for (const [index, outcome] of loaded.entries()) {
    const entry = entries[index];
    const before = problems.length;
    const report = (plugin: string, message: string, advice: string) => {
      problems.push({ ...file.problem(['plugins', index, 'use'], message, advice), plugin });
      unfit.add(index);
    };
    if (!entry || !outcome) {
      unfit.add(index);
      continue;
    }
    if (!outcome.ok) {
      report(entry.use, outcome.message, outcome.advice);
      continue;
    }
    const { plugin } = outcome;
    const id = entry.as ?? plugin.id;
    const why = unfitness(plugin);
    if (why !== undefined) report(id, `plugin ${id} ${why}`, 'install a version of the plugin that fits');
    const twin = plugins.find((other) => other.id === id);
    if (twin)
      report(id, `id "${id}" is already taken by plugins[${twin.index}]`, 'give one of them its own id with `as`');
    const options = (entry.options ?? {}) as object;
    problems.push(...optionFindings(plugin, options).map((finding) => file.optionProblem(index, id, finding)));
    const silent = undescribed(plugin.options);
    if (silent.length > 0) report(id, `plugin ${id} does not describe all of its options: ${listed(silent)}`, DESCRIBE);
    if (problems.length > before) unfit.add(index);
    plugins.push({ id, use: entry.use, plugin, options, index });
  }
  return { plugins, unfit, problems };
}

const DESCRIBE =
  'this is a fault of the plugin: each property of its options schema has a `description`, which editors and messages show';
const MAX_LISTED = 5;

function listed(paths: readonly string[]): string {
  const more = paths.length - MAX_LISTED;
  return paths.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function unfitness({ coreRange }: Plugin<never>): string | undefined {
  const fits = satisfies(CORE_VERSION, coreRange);
  if (fits === undefined) return `has an unreadable core range "${coreRange}"`;
  return fits ? undefined : `needs core ${coreRange}, this is ${CORE_VERSION}`;
}

function optionFindings(plugin: Plugin<never>, options: object): readonly SchemaFinding[] {
  try {
    return validateAgainst(plugin.options, options);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [{ path: [], atKey: true, message: `the plugin's own options schema is broken: ${message}` }];
  }
}
