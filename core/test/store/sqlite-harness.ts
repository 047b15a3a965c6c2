import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Logger, Metrics } from '../../src/contract/index.js';
import { type SqliteStore, type SqliteStoreOptions, sqliteStore } from '../../src/store/index.js';
import type { StoreHarness } from '../../src/testing/index.js';

export const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  every: () => () => undefined,
};

const quiet = () => undefined;
export const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
export const metrics: Metrics = { count: quiet, gauge: quiet, observe: quiet };

export interface SqliteHarness extends StoreHarness {
  readonly store: SqliteStore;
  readonly file: string;
  reopen(): Promise<SqliteStore>;
}

export function storeOn(file: string, options: Partial<SqliteStoreOptions> = {}): SqliteStore {
  return sqliteStore({ file, clock, log, metrics, ...options });
}

/** An open store in a folder of its own. */
export async function sqliteHarness(options: Partial<SqliteStoreOptions> = {}): Promise<SqliteHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-store-'));
  const file = join(folder, 'causeway.db');
  let current = storeOn(file, options);
  await current.open();
  return {
    store: current,
    file,
    async reopen() {
      await current.close();
      current = storeOn(file, options);
      await current.open();
      return current;
    },
    async dispose() {
      await current.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
