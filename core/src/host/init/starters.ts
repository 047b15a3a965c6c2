import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Starter } from '../../contract/starter.js';
import { CORE_FOLDER } from '../plugins/provide-core.js';
import { loadEntry } from '../plugins/resolve-plugin.js';

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** Version range in the package.json of the folder that it is installed in, e.g. `file:plugin.tgz`; undefined: none. */
  readonly spec?: { readonly text: string; readonly folder: string };
}

/** Core and the plugins that are installed with it or in this folder, by name. */
export function installed(from: string): ReadonlyMap<string, InstalledPackage> {
  const all = new Map<string, InstalledPackage>();
  for (const folder of [...ancestors(from), ...ancestors(CORE_FOLDER)]) {
    const scope = join(folder, 'node_modules', '@causeway');
    if (!existsSync(scope)) continue;
    const wanted = manifest(join(folder, 'package.json'));
    for (const each of readdirSync(scope)) {
      const { name, version } = manifest(join(scope, each, 'package.json'));
      if (name === undefined || version === undefined || all.has(name)) continue;
      const text = wanted.dependencies?.[name];
      all.set(name, { name, version, ...(text === undefined ? {} : { spec: { text, folder } }) });
    }
  }
  return all;
}

/** Chain plugins that `init` can write a config for. */
export async function starters(
  packages: ReadonlyMap<string, InstalledPackage>,
  from: string,
): Promise<ReadonlyMap<string, Starter>> {
  const found = await Promise.all(
    [...packages.keys()]
      .filter((name) => name.includes('/plugin-'))
      .map(async (name) => [name, await loadEntry(name, 'starter', from)] as const),
  );
  const usable = found.flatMap(([name, entry]) => {
    const starter = (entry as { readonly starter?: Starter } | undefined)?.starter;
    return starter === undefined ? [] : [[name, starter] as const];
  });
  return new Map(usable.sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifest(file: string): Manifest {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  } catch {
    return {};
  }
}

function ancestors(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestors(above)];
}
