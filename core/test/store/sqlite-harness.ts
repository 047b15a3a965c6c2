import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
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
  crash(): Promise<SqliteStore>;
}

export function storeOn(file: string, options: Partial<SqliteStoreOptions> = {}): SqliteStore {
  return sqliteStore({ file, clock, log, metrics, ...options });
}

/** Below it SQLite only appends to the log: copies of both files equal a lost process's. */
const CHECKPOINT_BYTES = 1_000 * 4_096;

async function copyMidway(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await copyFile(`${from}-wal`, `${to}-wal`);
  if ((await stat(`${to}-wal`)).size >= CHECKPOINT_BYTES) throw new Error('too much was written to copy it midway');
}

export async function sqliteHarness(options: Partial<SqliteStoreOptions> = {}): Promise<SqliteHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-store-'));
  let file = join(folder, 'causeway.db');
  let current = storeOn(file, options);
  await current.open();
  const abandoned: SqliteStore[] = [];
  return {
    store: current,
    file,
    async reopen() {
      await current.close();
      current = storeOn(file, options);
      await current.open();
      return current;
    },
    async crash() {
      const next = join(folder, `after-${abandoned.length}.db`);
      await copyMidway(file, next);
      abandoned.push(current);
      file = next;
      current = storeOn(file, options);
      await current.open();
      return current;
    },
    async dispose() {
      for (const store of [current, ...abandoned]) await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
