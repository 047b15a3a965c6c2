import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { privateFolder, writePrivate } from './private-files.js';

export interface LocalState {
  readonly folder: string;
  readonly database: string;
  readonly keys: string;
  readonly logs: string;
  chain(chainId: number): string;
}

export function localState(folder: string): LocalState {
  privateFolder(folder);
  const keys = privateFolder(join(folder, 'keys'));
  const logs = privateFolder(join(folder, 'logs'));
  return {
    folder,
    keys,
    logs,
    database: join(folder, 'service.db'),
    chain: (chainId) => privateFolder(join(folder, 'chains', String(chainId))),
  };
}

/** Deletes chains and databases; keys stay. */
export function resetState(folder: string): void {
  rmSync(join(folder, 'chains'), { recursive: true, force: true });
  for (const file of databaseFiles(folder)) rmSync(join(folder, file), { force: true });
  for (const onHold of asides(folder)) rmSync(join(folder, onHold), { recursive: true, force: true });
}

/** Maximum number of old databases: chains without persistence leave one behind per start. */
const MAX_OLD_DATABASES = 3;

/**
 * Moves the database away when a chain in it no longer exists: fills from it would be wrong.
 *
 * @returns its new folder; undefined when there was none.
 */
export function retireDatabase(state: LocalState, now: Date): string | undefined {
  if (!existsSync(state.database)) return undefined;
  const onHold = join(state.folder, `stale-${now.toISOString().replace(/[:.]/g, '-')}`);
  mkdirSync(onHold, { mode: 0o700 });
  for (const file of databaseFiles(state.folder)) renameSync(join(state.folder, file), join(onHold, file));
  for (const name of asides(state.folder).slice(0, -MAX_OLD_DATABASES))
    rmSync(join(state.folder, name), { recursive: true, force: true });
  return onHold;
}

/** Oldest first. */
function asides(folder: string): readonly string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.startsWith('stale-'))
        .sort()
    : [];
}

function databaseFiles(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('service.db')) : [];
}

export interface DevnetSources {
  readonly directory: string;
  readonly devnets: readonly { readonly use: string; readonly chainIds: readonly number[] }[];
}

export function writeSources(folder: string, sources: DevnetSources): void {
  writePrivate(join(folder, 'sources.json'), `${JSON.stringify(sources, null, 2)}\n`);
}
