import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import type { ConfiguredPlugin, LoadedConfig } from './load-config.js';
import { parsePath } from './yaml-source.js';

export interface FoundOption {
  readonly plugin: ConfiguredPlugin | undefined;
  /** Within the options of the plugin. */
  readonly path: string;
  readonly value: string;
}

export interface MissingOption {
  /** Within the file. */
  readonly path: string;
  readonly value: string;
  readonly keys: readonly (string | number)[];
}

/** Those that the file does not have. What it has is the operator's, and stays. */
export function unwrittenOptions(config: LoadedConfig, found: readonly FoundOption[]): readonly MissingOption[] {
  const document = parseDocument(readFileSync(config.file, 'utf8'));
  return found.flatMap(({ plugin, path, value }) => {
    if (plugin === undefined) return [];
    const keys = ['plugins', plugin.index, 'options', ...parsePath(path)];
    if (document.getIn(keys) !== undefined) return [];
    return [{ path: `plugins[${plugin.index}].options.${path}`, value, keys }];
  });
}

/** Comments and order stay. Atomic: a reader sees the old or the new file, whole. */
export function writeOptions(file: string, options: readonly MissingOption[]): void {
  const document = parseDocument(readFileSync(file, 'utf8'));
  for (const { keys, value } of options) document.setIn(keys, value);
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  writeFileSync(temporary, document.toString({ lineWidth: 0 }), { mode: statSync(file).mode, flag: 'wx' });
  renameSync(temporary, file);
}
