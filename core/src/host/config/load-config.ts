import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Plugin } from '../../contract/plugin.js';
import { Redactor } from '../../observability/redactor.js';
import { KEY_REFERENCE, KeyReferenceError, ReferencedKeys } from '../keys.js';
import { loadPlugin } from '../plugins/resolve-plugin.js';
import { satisfies } from '../plugins/semver.js';
import { CORE_VERSION } from '../version.js';
import { deepFreeze } from './deep-freeze.js';
import { interpolate } from './interpolate.js';
import { ConfigError, type ConfigProblem } from './problems.js';
import { ROOT_SCHEMA } from './root-schema.js';
import { type SchemaFinding, validateAgainst } from './schema-validator.js';
import type { RootOptions, ServiceOptions } from './service-options.js';
import { type ConfigPath, formatPath, parsePath, YamlSource } from './yaml-source.js';

/** One entry of `plugins`, loaded and with its options validated. */
export interface ConfiguredPlugin {
  readonly id: string;
  readonly use: string;
  readonly plugin: Plugin<never>;
  /** Validated, defaults filled in, deeply frozen. */
  readonly options: unknown;
  readonly index: number;
}

export interface LoadedConfig {
  readonly file: string;
  /** Paths in the config are relative to this folder. */
  readonly directory: string;
  readonly service: ServiceOptions;
  readonly plugins: readonly ConfiguredPlugin[];
  readonly bindings: RootOptions['bindings'];
  readonly keys: ReferencedKeys;
  readonly redactor: Redactor;
  /** Makes a problem with the place of a path of the file. */
  problem(path: ConfigPath, message: string, advice?: string): ConfigProblem;
  /** Makes a problem with the place of a path within a plugin's options. */
  optionProblem(plugin: ConfiguredPlugin, optionPath: string, message: string, advice?: string): ConfigProblem;
  /** Path, from the root, of the first text value that equals the given one. */
  find(text: string): ConfigPath | undefined;
}

export interface LoadOptions {
  /** Overrides the folder that paths are relative to; for configs that were derived from another. */
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Whether `rpc: devnet` is allowed, which only `causeway dev` can turn into a chain. */
  readonly devnet?: boolean;
  /** Whether key references must resolve. `dev` makes missing keys, `schema` needs none. */
  readonly checkKeys?: boolean;
}

/**
 * Reads and checks a config as far as that is possible without running plugins.
 *
 * @throws ConfigError with every problem at once.
 */
export async function loadConfig(path: string, options: LoadOptions = {}): Promise<LoadedConfig> {
  const file = resolve(path);
  const directory = options.directory ?? dirname(file);
  const environment = options.environment ?? process.env;
  const source = new YamlSource(readConfig(file));
  const problems: ConfigProblem[] = source.problems.map(({ line, column, message }) => ({
    file,
    line,
    column,
    path: '',
    message,
  }));
  if (problems.length > 0) throw new ConfigError(problems);

  const at = (where: ConfigPath, message: string, advice?: string, atKey = false): ConfigProblem => ({
    file,
    ...source.place(where, atKey),
    path: formatPath(where),
    message,
    ...(advice === undefined ? {} : { advice }),
  });

  const redactor = new Redactor();
  const keys = new ReferencedKeys({ directory, environment, redactor });
  const interpolation = interpolate(source, environment);
  for (const secret of interpolation.secrets) redactor.add(secret);
  for (const { path: where, name } of interpolation.missing) {
    problems.push(
      at(where, `environment variable ${name} is not set`, `export ${name}, or give a default: \${${name}:-value}`),
    );
  }

  const root = source.value() as RootOptions;
  const structural = validateAgainst(ROOT_SCHEMA, root ?? {});
  problems.push(...structural.map((finding) => at(finding.path, finding.message, finding.advice, finding.atKey)));
  if (!options.devnet && root?.service && typeof root.service === 'object' && root.service.orderSigner === undefined) {
    problems.push(
      at(
        ['service'],
        '`orderSigner` is missing',
        'add a key reference, e.g. orderSigner: env:CAUSEWAY_ORDER_KEY',
        true,
      ),
    );
  }
  const entries = Array.isArray(root?.plugins) ? root.plugins : [];
  const texts = new Map<string, ConfigPath>();
  source.mapText((text, where) => {
    if (!texts.has(text)) texts.set(text, where);
    if (text === 'devnet' && ['rpc', 'address'].includes(String(where.at(-1))) && !options.devnet) {
      problems.push(
        at(where, '`devnet` asks for a local chain', 'run it with: causeway dev; to start it, name what runs already'),
      );
    }
    if (options.checkKeys !== false && KEY_REFERENCE.test(text)) {
      problems.push(...checkKey(keys, text, (message, advice) => at(where, message, advice)));
    }
    return undefined;
  });

  const loaded = await Promise.all(
    entries.map((entry) => (typeof entry?.use === 'string' ? loadPlugin(entry.use, directory) : undefined)),
  );
  const plugins: ConfiguredPlugin[] = [];
  for (const [index, outcome] of loaded.entries()) {
    const entry = entries[index];
    if (!entry || !outcome) continue;
    const where: ConfigPath = ['plugins', index, 'use'];
    if (!outcome.ok) {
      problems.push({ ...at(where, outcome.message, outcome.advice), plugin: entry.use });
      continue;
    }
    const { plugin } = outcome;
    const id = entry.as ?? plugin.id;
    const compatible = satisfies(CORE_VERSION, plugin.coreRange);
    if (!compatible) {
      const message =
        compatible === undefined
          ? `has an unreadable core range "${plugin.coreRange}"`
          : `needs core ${plugin.coreRange}, this is ${CORE_VERSION}`;
      problems.push({
        ...at(where, `plugin ${id} ${message}`, 'install a version of the plugin that fits'),
        plugin: id,
      });
    }
    const twin = plugins.find((other) => other.id === id);
    if (twin) {
      problems.push({
        ...at(where, `id "${id}" is already taken by plugins[${twin.index}]`, 'give one of them its own id with `as`'),
        plugin: id,
      });
    }
    const value = (entry.options ?? {}) as object;
    problems.push(
      ...optionFindings(plugin, value).map((finding) => ({ ...inOptions(at, index, finding), plugin: id })),
    );
    plugins.push({ id, use: entry.use, plugin, options: value, index });
  }
  if (problems.length > 0)
    throw new ConfigError(
      onePerPlace(
        problems,
        interpolation.missing.map(({ path: where }) => at(where, '')),
      ),
    );

  for (const { options: value } of plugins) deepFreeze(value);
  return {
    file,
    directory,
    service: deepFreeze(root.service),
    plugins,
    bindings: root.bindings,
    keys,
    redactor,
    problem: (where, message, advice) => at(where, message, advice),
    optionProblem: (plugin, optionPath, message, advice) => ({
      ...at(['plugins', plugin.index, 'options', ...parsePath(optionPath)], message, advice),
      path: optionPath === '' ? '' : `options.${optionPath}`,
      plugin: plugin.id,
    }),
    find: (text) => texts.get(text),
  };
}

/** What a missing variable left behind is of no interest. */
function onePerPlace(problems: readonly ConfigProblem[], missing: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const incomplete = new Set(missing.map(({ line, column }) => `${line}:${column}`));
  return problems.filter(
    ({ line, column, message }) => !incomplete.has(`${line}:${column}`) || message.startsWith('environment variable '),
  );
}

function readConfig(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new ConfigError([
      {
        file,
        line: 0,
        column: 0,
        path: '',
        message: `cannot be read (${code})`,
        advice: 'name an existing config file',
      },
    ]);
  }
}

function optionFindings(plugin: Plugin<never>, value: object): readonly SchemaFinding[] {
  try {
    return validateAgainst(plugin.options, value);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [{ path: [], atKey: true, message: `the plugin's own options schema is broken: ${message}` }];
  }
}

function inOptions(
  at: (where: ConfigPath, message: string, advice?: string, atKey?: boolean) => ConfigProblem,
  index: number,
  finding: SchemaFinding,
): ConfigProblem {
  const placed = at(['plugins', index, 'options', ...finding.path], finding.message, finding.advice, finding.atKey);
  return { ...placed, path: formatPath(['options', ...finding.path]) };
}

function checkKey(
  keys: ReferencedKeys,
  reference: string,
  at: (message: string, advice: string) => ConfigProblem,
): ConfigProblem[] {
  try {
    keys.secret(reference);
    return [];
  } catch (error) {
    if (error instanceof KeyReferenceError) return [at(error.message, error.advice)];
    throw error;
  }
}
