import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface Home {
  readonly dir: string;
  path(name: string): string;
  write(name: string, text: string, mode?: number): string;
}

const homes: string[] = [];

afterEach(() => {
  for (const dir of homes.splice(0)) rmSync(dir, { recursive: true, force: true });
});

export function newHome(): Home {
  const dir = mkdtempSync(join(tmpdir(), 'causeway-host-'));
  homes.push(dir);
  // Packages resolve from the config, as for a deployer.
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  const path = (name: string) => join(dir, name);
  return {
    dir,
    path,
    write: (name, text, mode = 0o600) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), text, { mode });
      chmodSync(path(name), mode);
      return path(name);
    },
  };
}

/** Must never appear in output. */
export const SECRET = `0x${'5ec7e7'.repeat(10)}5ec7`;

/** A deployer's plugin with one price source and the test's `register`. */
export function pluginSource(input: {
  readonly id: string;
  readonly options?: object;
  readonly dependsOn?: readonly string[];
  readonly coreRange?: string;
  readonly register?: string;
}): string {
  return `import { definePlugin, OptionError, token } from '@causeway/core';
export const plugin = definePlugin({
  id: ${JSON.stringify(input.id)},
  coreRange: ${JSON.stringify(input.coreRange ?? '*')},
  options: ${JSON.stringify(input.options ?? { type: 'object' })},
  dependsOn: ${JSON.stringify(input.dependsOn ?? [])},
  register: (context) => { void OptionError; void token; ${input.register ?? ''} },
});
`;
}

export const CHAIN = (id: number, name: string, network = 'local', vmType = 'any') =>
  `context.chains.add({ facts: { id: ${id}, name: '${name}', vmType: '${vmType}', network: '${network}', currency: {} }, lanes: [], currencies: () => [] });`;
