import { dirname } from 'node:path';
import { Redactor } from '../../observability/redactor.js';
import { KEY_REFERENCE, KeyReferenceError, ReferencedKeys } from '../keys.js';
import { ThrowawayKeys } from '../rehearsal/throwaway-keys.js';
import { ConfigFile } from './config-file.js';
import { type ConfiguredPlugin, configuredPlugins } from './configured-plugins.js';
import { deepFreeze } from './deep-freeze.js';
import { interpolate } from './interpolate.js';
import { ConfigError, type ConfigProblem } from './problems.js';
import { ROOT_SCHEMA } from './root-schema.js';
import { validateAgainst } from './schema-validator.js';
import type { RootOptions, ServiceOptions } from './service-options.js';
import { type ConfigPath, parsePath } from './yaml-source.js';

export type { ConfiguredPlugin } from './configured-plugins.js';

export interface LoadedConfig {
  readonly file: string;
  /** Base of relative paths. */
  readonly directory: string;
  readonly service: ServiceOptions;
  readonly plugins: readonly ConfiguredPlugin[];
  readonly bindings: RootOptions['bindings'];
  readonly keys: ReferencedKeys;
  readonly redactor: Redactor;
  problem(path: ConfigPath, message: string, advice?: string): ConfigProblem;
  optionProblem(plugin: ConfiguredPlugin, optionPath: string, message: string, advice?: string): ConfigProblem;
  find(text: string): ConfigPath | undefined;
}

export interface LoadOptions {
  /** Overrides the base of relative paths, for derived configs. */
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Whether `rpc: devnet` is allowed; only `causeway dev` can start such a chain. */
  readonly devnet?: boolean;
  /** Whether key references must resolve. `dev` creates missing keys, `schema` needs none. */
  readonly checkKeys?: boolean;
  /**
   * Called when plugins have problems: checks the config without those plugins. Not called when `service` or
   * `bindings` are malformed.
   */
  readonly examineRest?: (rest: LoadedConfig) => readonly ConfigProblem[];
}

/**
 * Checks everything possible without running plugins, and calls `examineRest`.
 *
 * @throws ConfigError with every problem at once.
 */
export async function loadConfig(path: string, options: LoadOptions = {}): Promise<LoadedConfig> {
  const file = new ConfigFile(path);
  const directory = options.directory ?? dirname(file.file);
  const environment = options.environment ?? process.env;
  const redactor = new Redactor();

  const { missing, secrets } = interpolate(file.source, environment);
  for (const secret of secrets) redactor.add(secret);
  const root = (file.source.value() ?? {}) as RootOptions;
  const findings = validateAgainst(ROOT_SCHEMA, root);
  const structural = findings.map((finding) => file.finding(finding));
  const entries = Array.isArray(root.plugins) ? root.plugins : [];
  const { plugins, unfit, problems: ofPlugins } = await configuredPlugins(file, entries, directory);
  const rehearses = root.service?.mode === 'rehearsal';
  const sources = { directory, environment, redactor };
  const keys = rehearses ? new ThrowawayKeys(sources, plugins, root.service.orderSigner) : new ReferencedKeys(sources);
  const { first, unready, problems: ofTexts } = checkTexts(file, keys, options);
  const wrong = [...structural, ...ofPlugins, ...ofTexts];
  if (!options.devnet && !rehearses) wrong.push(...withoutOrderSigner(file, root));
  const problems = [
    ...missing.map(({ path: where, name }) => unset(file, where, name)),
    ...elsewhere(wrong, file, missing),
  ];
  const load = (right: readonly ConfiguredPlugin[]): LoadedConfig => ({
    file: file.file,
    directory,
    service: root.service,
    plugins: right,
    bindings: root.bindings,
    keys,
    redactor,
    problem: (where, message, advice) => file.problem(where, message, advice),
    optionProblem: (plugin, optionPath, message, advice) =>
      file.optionProblem(plugin.index, plugin.id, {
        path: parsePath(optionPath),
        atKey: false,
        message,
        ...(advice === undefined ? {} : { advice }),
      }),
    find: (text) => first.get(text),
  });
  if (problems.length > 0) {
    const found = [...findings, ...missing];
    const isWhole = found.every(({ path: [section] }) => section === 'plugins');
    const wrongAt = new Set([...unfit, ...unready, ...found.flatMap(({ path }) => entryOf(path))]);
    const right = plugins.filter(({ index }) => !wrongAt.has(index));
    const more = isWhole ? (options.examineRest?.(load(right)) ?? []) : [];
    throw new ConfigError([...problems, ...more]);
  }
  for (const { options: value } of plugins) deepFreeze(value);
  deepFreeze(root.service);
  return load(plugins);
}

function entryOf([section, index]: ConfigPath): readonly number[] {
  return section === 'plugins' && typeof index === 'number' ? [index] : [];
}

function unset(file: ConfigFile, where: ConfigPath, name: string): ConfigProblem {
  const advice = `export ${name}, or give a default: \${${name}:-value}`;
  return file.problem(where, `environment variable ${name} is not set`, advice);
}

function elsewhere(
  problems: readonly ConfigProblem[],
  file: ConfigFile,
  missing: readonly { readonly path: ConfigPath }[],
): readonly ConfigProblem[] {
  const incomplete = new Set(missing.map(({ path }) => JSON.stringify(file.source.place(path))));
  return problems.filter(({ line, column }) => !incomplete.has(JSON.stringify({ line, column })));
}

function withoutOrderSigner(file: ConfigFile, { service }: RootOptions): readonly ConfigProblem[] {
  if (typeof service !== 'object' || service === null || service.orderSigner !== undefined) return [];
  const advice = 'add a key reference, e.g. orderSigner: env:CAUSEWAY_ORDER_KEY';
  return [file.problem(['service'], '`orderSigner` is missing', advice, true)];
}

function checkTexts(
  file: ConfigFile,
  keys: ReferencedKeys,
  options: LoadOptions,
): {
  readonly first: ReadonlyMap<string, ConfigPath>;
  /** Entries of `plugins` with an unreadable key or a chain that is not running yet. */
  readonly unready: ReadonlySet<number>;
  readonly problems: readonly ConfigProblem[];
} {
  const first = new Map<string, ConfigPath>();
  const unready = new Set<number>();
  const problems: ConfigProblem[] = [];
  file.source.mapText((text, where) => {
    if (!first.has(text)) first.set(text, where);
    if (text === 'devnet' && ['rpc', 'address'].includes(String(where.at(-1)))) {
      const advice = 'run it with: causeway dev; to start it, configure the URL of a running node';
      if (!options.devnet) problems.push(file.problem(where, '`devnet` needs a local chain', advice));
      for (const index of entryOf(where)) unready.add(index);
    }
    if (options.checkKeys === false || !KEY_REFERENCE.test(text)) return undefined;
    try {
      if (where.join('.') === 'service.adminKey') keys.adminKey(text);
      else if (where.slice(0, 2).join('.') === 'service.endpointKeys') keys.endpointKey(text);
      else keys.secret(text);
    } catch (error) {
      if (!(error instanceof KeyReferenceError)) throw error;
      problems.push(file.problem(where, error.message, error.advice));
      for (const index of entryOf(where)) unready.add(index);
    }
    return undefined;
  });
  return { first, unready, problems };
}
