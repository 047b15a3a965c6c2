import { isOfThisCore } from '../../contract/core-copy.js';
import type { Plugin } from '../../contract/plugin.js';
import { BUILTINS } from '../builtins/index.js';
import { CORE_VERSION } from '../version.js';
import { isPathUse, locate, NoModuleError } from './modules.js';
import { CORE_FOLDER } from './provide-core.js';

export type LoadedPlugin =
  | { readonly ok: true; readonly plugin: Plugin<never> }
  | { readonly ok: false; readonly message: string; readonly advice: string };

export async function loadPlugin(use: string, directory: string): Promise<LoadedPlugin> {
  if (use.startsWith('builtin:')) return builtin(use.slice('builtin:'.length));
  let loaded: unknown;
  try {
    loaded = await import(await locate(use, directory));
  } catch (error) {
    return error instanceof NoModuleError ? missing(use, error) : broken(use, error);
  }
  const plugin = (loaded as { plugin?: unknown }).plugin;
  if (!isPlugin(plugin)) {
    return {
      ok: false,
      message: `${use} is not a Causeway plugin`,
      advice: 'its module must export `plugin`, made by definePlugin of @causeway/core',
    };
  }
  if (!isOfThisCore(plugin)) {
    return {
      ok: false,
      message: `plugin ${use} was made by another copy of @causeway/core than the one that runs it`,
      advice: 'it must import @causeway/core, as an ES module, and must not be bundled with it: the host provides core',
    };
  }
  return { ok: true, plugin };
}

/**
 * Imports a sub-entry of a plugin (`devnet`). Undefined if the plugin has none.
 *
 * @throws what its module throws.
 */
export async function loadEntry(use: string, entry: string, directory: string): Promise<unknown> {
  if (use.startsWith('builtin:')) return undefined;
  let url: string;
  try {
    url = await locate(use, directory, entry);
  } catch (error) {
    if (error instanceof NoModuleError) return undefined;
    throw error;
  }
  return await import(url);
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

function missing(use: string, { message }: NoModuleError): LoadedPlugin {
  const advice = isPathUse(use)
    ? 'check the path; it is relative to the config file'
    : `install it next to the config (npm install ${use}); in a checkout, run: npm run build`;
  return { ok: false, message: `plugin ${use} cannot be loaded: ${message}`, advice };
}

function broken(use: string, error: unknown): LoadedPlugin {
  const first = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  // Node appends the importer of core, which is always the host: misleading.
  const reported = first.replaceAll('file://', '').replace(new RegExp(` imported from ${CORE_FOLDER}.*$`), '');
  const message = `plugin ${use} failed while it was loaded: ${reported}`;
  return { ok: false, message, advice: adviceFor(error, first) };
}

function adviceFor(error: unknown, message: string): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  const ofCore = message.includes('@causeway/core') || message.includes(CORE_FOLDER);
  if (ofCore && (error instanceof SyntaxError || code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'))
    return `it was made for another version of core; this is ${CORE_VERSION}`;
  if (ofCore && code === 'MODULE_NOT_FOUND') return 'core is for ES modules: the plugin must import it, not require it';
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND')
    return 'install what the plugin depends on, in its own folder or next to the config';
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return 'name what it compiles to; this Node.js reads no such file';
  return 'this is a fault of the plugin';
}
