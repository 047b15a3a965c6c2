import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LoadedConfig } from '../config/load-config.js';
import { KEY_REFERENCE } from '../keys.js';
import { referencesIn } from './references.js';
import { writeNewKey } from './write-key.js';

export interface MadeKey {
  /** `there`: it existed. `unmade`: no plugin can create it. `unset`: the environment variable is not set. */
  readonly state: 'there' | 'made' | 'unmade' | 'unset';
  readonly reference: string;
  /** Where the config names it. */
  readonly options: readonly string[];
}

interface Use {
  readonly option: string;
  make(): string | undefined;
}

/**
 * Makes the missing key files of a config and reports the result for every reference.
 *
 * @param seal Encrypts what a file is to hold. Default: it is written as it is.
 */
export function makeKeys(
  config: LoadedConfig,
  environment: Readonly<Record<string, string | undefined>>,
  seal: (text: string) => string = (text) => text,
): readonly MadeKey[] {
  const uses = new Map<string, Use[]>();
  const add = (reference: string, use: Use) => uses.set(reference, [...(uses.get(reference) ?? []), use]);
  for (const [path, reference] of referencesIn(config.service))
    add(reference, { option: `service.${path}`, make: () => randomBytes(32).toString('hex') });
  for (const { id, plugin, options } of config.plugins)
    for (const [path, reference] of referencesIn(options))
      add(reference, { option: `${id}: ${path}`, make: () => plugin.newKey?.(path, randomBytes(32)) });
  return [...uses].map(([reference, all]) => ({
    reference,
    options: all.map(({ option }) => option),
    state: made(config.directory, reference, all, { environment, seal }),
  }));
}

function made(
  directory: string,
  reference: string,
  uses: readonly Use[],
  {
    environment,
    seal,
  }: {
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly seal: (text: string) => string;
  },
): MadeKey['state'] {
  const [, variable, path = ''] = KEY_REFERENCE.exec(reference) ?? [];
  if (variable !== undefined) return environment[variable]?.trim() ? 'there' : 'unset';
  const file = resolve(directory, path);
  if (existsSync(file)) return 'there';
  for (const { make } of uses) {
    const text = make();
    if (text !== undefined) return writeNewKey(file, seal(text)) ? 'made' : 'there';
  }
  return 'unmade';
}
