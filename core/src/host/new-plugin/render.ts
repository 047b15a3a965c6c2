import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CORE_VERSION } from '../version.js';
import type { PluginKind } from './kinds.js';
import type { PluginNames } from './names.js';

const TEMPLATES = new URL('../../../templates/', import.meta.url);

/** Under their own names, npm would take them for its own. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore', 'package.template.json': 'package.json' };

/**
 * The files of a new package by path, with forward slashes.
 *
 * @param core version of core in `devDependencies`: a range, a tarball or a folder.
 */
export function renderPlugin(
  { layers, modules = [] }: Pick<PluginKind, 'layers' | 'modules'>,
  { name, id }: PluginNames,
  core: string,
): ReadonlyMap<string, string> {
  const values: Readonly<Record<string, string>> = {
    __NAME__: name,
    __ID__: id,
    __CORE_RANGE__: `^${CORE_VERSION}`,
    __CORE__: core,
  };
  const files = new Map<string, string>();
  for (const layer of layers) {
    const folder = fileURLToPath(new URL(layer, TEMPLATES));
    const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name: file } of found) {
      const source = join(parentPath, file);
      const within = relative(folder, source).split(sep).join('/');
      const path = RENAMED[within] ?? within;
      const text = readFileSync(source, 'utf8');
      files.set(
        path,
        text.replace(/__[A-Z]+(_[A-Z]+)*__/g, (word) => values[word] ?? word),
      );
    }
  }
  const manifest = files.get('package.json');
  if (manifest !== undefined) files.set('package.json', exporting(manifest, modules));
  return files;
}

function exporting(manifest: string, modules: readonly string[]): string {
  const whole = JSON.parse(manifest) as { readonly exports: Readonly<Record<string, unknown>> };
  const more = modules.map((name) => [`./${name}`, { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` }]);
  return `${JSON.stringify({ ...whole, exports: { ...whole.exports, ...Object.fromEntries(more) } }, null, 2)}\n`;
}
