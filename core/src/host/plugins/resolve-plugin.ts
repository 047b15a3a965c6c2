import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from '../../contract/plugin.js';
import { BUILTINS } from '../builtins/index.js';

export type LoadedPlugin =
  | { readonly ok: true; readonly plugin: Plugin<never> }
  | { readonly ok: false; readonly message: string; readonly advice: string };

/** True for `./x`, `../x` and absolute paths: a deployer's own plugin. */
export function isPathUse(use: string): boolean {
  return use.startsWith('./') || use.startsWith('../') || isAbsolute(use);
}

/** Loads what `use` names, seen from the folder of the config. Never throws. */
export async function loadPlugin(use: string, directory: string): Promise<LoadedPlugin> {
  if (use.startsWith('builtin:')) return builtin(use.slice('builtin:'.length));
  let loaded: unknown;
  try {
    loaded = await importFrom(use, directory);
  } catch (error) {
    return failure(use, error);
  }
  const plugin = (loaded as { plugin?: unknown }).plugin;
  if (!isPlugin(plugin)) {
    return {
      ok: false,
      message: `${use} is not a Causeway plugin`,
      advice: 'its module must export `plugin`, made by definePlugin of @causeway/core',
    };
  }
  return { ok: true, plugin };
}

/** Imports a sub-entry of a plugin (`devnet`). Undefined where the plugin has none. */
export async function loadEntry(use: string, entry: string, directory: string): Promise<unknown> {
  if (use.startsWith('builtin:')) return undefined;
  try {
    if (!isPathUse(use)) return await importFrom(`${use}/${entry}`, directory);
    const file = resolve(directory, use);
    const folder = existsSync(file) && statSync(file).isDirectory() ? file : join(file, '..');
    const found = [`${entry}.js`, `${entry}.mjs`, `${entry}/index.js`]
      .map((name) => join(folder, name))
      .find((path) => existsSync(path));
    return found === undefined ? undefined : await import(pathToFileURL(found).href);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Seen from the config, so that a plugin installed beside it is found. `require.resolve` does not see an exports map
 * with only `import`; such a package, and one installed beside core alone, is found by a plain import.
 */
async function importFrom(use: string, directory: string): Promise<unknown> {
  if (isPathUse(use)) {
    const file = resolve(directory, use);
    const target =
      existsSync(file) && statSync(file).isDirectory()
        ? createRequire(join(directory, 'config.yaml')).resolve(file)
        : file;
    return await import(pathToFileURL(target).href);
  }
  let found: string;
  try {
    found = createRequire(join(directory, 'config.yaml')).resolve(use);
  } catch (error) {
    if (!isMissing(error)) throw error;
    return await import(use);
  }
  return await import(pathToFileURL(found).href);
}

function builtin(name: string): LoadedPlugin {
  const plugin = BUILTINS.get(name);
  if (plugin) return { ok: true, plugin };
  return {
    ok: false,
    message: `there is no builtin plugin ${name}`,
    advice: `builtin plugins: ${[...BUILTINS.keys()].join(', ')}`,
  };
}

function isPlugin(value: unknown): value is Plugin<never> {
  return typeof value === 'object' && value !== null && (value as { causewayPlugin?: unknown }).causewayPlugin === 1;
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  return ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED'].includes(code);
}

function failure(use: string, error: unknown): LoadedPlugin {
  const first = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  const message = first.replace(/ imported from .*$/, '').replaceAll('file://', '');
  if (!isMissing(error))
    return {
      ok: false,
      message: `plugin ${use} failed while it was loaded: ${message}`,
      advice: 'this is a fault of the plugin',
    };
  const advice = isPathUse(use)
    ? 'check the path; it is relative to the config file'
    : `install it beside the config (npm install ${use}); in a checkout, run: npm run build`;
  return { ok: false, message: `plugin ${use} cannot be loaded: ${message}`, advice };
}
