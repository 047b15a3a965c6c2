import { existsSync, realpathSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { modules } from './bundle.js';

export const CORE_FOLDER = fileURLToPath(new URL('../../../', import.meta.url));

const HOOKS = pathToFileURL(join(CORE_FOLDER, 'bin/plugin-modules.js')).href;

/** Must match `core/bin/plugin-modules.js`. */
const SEEN_FROM = 'causeway-seen-from:';

type NodeModule = Pick<typeof import('node:module'), 'register'> & {
  /** Newer Node.js: in this thread, at no cost. */
  readonly registerHooks?: (hooks: object) => void;
};

let provided: Promise<void> | undefined;

/** Every later import of core in this process resolves to this copy. */
export function provideCore(): Promise<void> {
  provided ??= provide();
  return provided;
}

async function provide(): Promise<void> {
  const { register, registerHooks } = nodeModule as NodeModule;
  const data = { host: import.meta.url, bundle: Object.fromEntries(modules() ?? []) };
  if (registerHooks === undefined) return register(HOOKS, { data });
  const hooks = (await import(HOOKS)) as { initialize(data: object): void; resolve: unknown };
  hooks.initialize(data);
  registerHooks({ resolve: hooks.resolve });
}

/**
 * `provideCore` where it is free or needed: before Node.js 22.15 each later import passes through a thread, which
 * doubles the load time of a large SDK.
 */
export async function provideCoreTo(url: string): Promise<void> {
  const isFree = (nodeModule as NodeModule).registerHooks !== undefined;
  if (isFree || !seesThisCore(url)) await provideCore();
}

function seesThisCore(url: string): boolean {
  if (!url.startsWith('file:') || modules() !== undefined) return false;
  const file = fileURLToPath(url);
  return existsSync(file) && packageSeenFrom('@causeway/core', dirname(realpathSync(file))) === thisCore();
}

export function packageSeenFrom(name: string, folder: string): string | undefined {
  const here = join(folder, 'node_modules', name);
  if (existsSync(here)) return realpathSync(here);
  return dirname(folder) === folder ? undefined : packageSeenFrom(name, dirname(folder));
}

function thisCore(): string {
  return realpathSync(join(CORE_FOLDER, '.'));
}

export async function seenFrom(
  specifier: string,
  parent: string,
): Promise<{ readonly url?: string; readonly why?: string }> {
  await provideCore();
  return found(`${SEEN_FROM}${encodeURIComponent(JSON.stringify([specifier, parent]))}`);
}

export function found(specifier: string): { readonly url?: string; readonly why?: string } {
  try {
    const url = import.meta.resolve(specifier);
    if (url.startsWith('file:') && !existsSync(fileURLToPath(url))) return { why: `there is no ${fileURLToPath(url)}` };
    return { url };
  } catch (error) {
    return { why: (error instanceof Error ? error.message : String(error)).replace(/ imported from .*$/s, '') };
  }
}
