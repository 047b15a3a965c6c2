import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundled } from './bundle.js';
import { CORE_FOLDER, found, packageSeenFrom, provideCoreTo, seenFrom } from './provide-core.js';

/** `./x`, `../x` and absolute paths: a deployer's own plugin. */
export function isPathUse(use: string): boolean {
  return use.startsWith('./') || use.startsWith('../') || isAbsolute(use);
}

export class NoModuleError extends Error {
  override readonly name = 'NoModuleError';
}

/**
 * URL of the module that `use` names in a config of this folder, or of another entry of the same package; its imports
 * of core resolve to the host's. Packages are resolved from the config first, then from core.
 *
 * @throws NoModuleError
 */
export async function locate(use: string, directory: string, entry = ''): Promise<string> {
  const url = isPathUse(use)
    ? await ofPath(resolve(directory, use), entry)
    : await ofPackage(entry === '' ? use : `${use}/${entry}`, directory);
  const inBundle = bundled(url);
  if (inBundle === url) await provideCoreTo(url);
  return inBundle;
}

async function ofPackage(specifier: string, directory: string): Promise<string> {
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const siblingEntry = packageSeenFrom(name, directory);
  const ofConfig =
    siblingEntry === undefined || siblingEntry === packageSeenFrom(name, CORE_FOLDER)
      ? undefined
      : await seenFrom(specifier, pathToFileURL(join(directory, 'config.yaml')).href);
  const { url, why } = ofConfig?.url === undefined ? found(specifier) : ofConfig;
  if (url !== undefined) return url;
  throw new NoModuleError(ofConfig?.why ?? why ?? specifier);
}

async function ofPath(file: string, entry: string): Promise<string> {
  if (!existsSync(file)) throw new NoModuleError(`there is no ${file}`);
  const isFolder = statSync(file).isDirectory();
  const own = packageAround(isFolder ? file : dirname(file));
  // The file represents a package if the package's name resolves to it.
  if (own !== undefined) {
    const main = await exported(own, '');
    if (isFolder ? own.folder === file : main === pathToFileURL(file).href) {
      const url = entry === '' ? main : await exported(own, entry);
      if (url !== undefined) return url;
      throw new NoModuleError(`${own.file} exports no ${entry === '' ? '"."' : `"./${entry}"`}`);
    }
  }
  if (entry === '') return pathToFileURL(isFolder ? mainOf(file) : file).href;
  return pathToFileURL(siblingEntry(isFolder ? file : dirname(file), entry)).href;
}

interface OwnPackage {
  readonly folder: string;
  readonly file: string;
  readonly name: string;
}

function packageAround(folder: string): OwnPackage | undefined {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return dirname(folder) === folder ? undefined : packageAround(dirname(folder));
  const { name, exports } = manifest(file);
  return name === undefined || exports === undefined ? undefined : { folder, file, name };
}

/** @throws NoModuleError for invalid JSON. */
function manifest(file: string): { readonly name?: string; readonly exports?: unknown } {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new NoModuleError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

async function exported({ file, name }: OwnPackage, entry: string): Promise<string | undefined> {
  return (await seenFrom(entry === '' ? name : `${name}/${entry}`, pathToFileURL(file).href)).url;
}

/** A folder without `exports`: its `main`, else its `index.js`. */
function mainOf(folder: string): string {
  try {
    return createRequire(join(folder, 'package.json')).resolve(folder);
  } catch {
    throw new NoModuleError(`${folder} has neither a main nor an index.js`);
  }
}

function siblingEntry(folder: string, entry: string): string {
  const found = [`${entry}.js`, `${entry}.mjs`, `${entry}/index.js`]
    .map((name) => join(folder, name))
    .find((path) => existsSync(path));
  if (found === undefined) throw new NoModuleError(`there is no ${entry} in ${folder}`);
  return found;
}
