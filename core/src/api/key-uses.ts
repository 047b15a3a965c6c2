import type { Clock } from '../contract/clock.js';
import type { Logger } from '../contract/observability.js';
import type { Store } from '../contract/store.js';
import { replaceMeta } from '../domain/meta-rows.js';
import { Rounds } from '../ports/rounds.js';

const ROW = 'keyUses';
const WRITE_INTERVAL_MS = 60_000;
/** The row has about 30 bytes per key; beyond this the keys that were used longest ago are forgotten. */
const MAX_KEYS = 5_000;

/** Unix milliseconds by key id. */
type Uses = Readonly<Record<string, number>>;

export interface KeyUses {
  /** Only notes it in memory: a call never waits for it. */
  note(keyId: string): void;
  /** When keys were last used, also by other processes as of their last minute. Unknown keys are left out. */
  read(): Promise<ReadonlyMap<string, number>>;
  /** Writes what is noted. */
  close(): Promise<void>;
}

export interface KeyUseDeps {
  readonly store: Pick<Store, 'meta' | 'apply'>;
  readonly clock: Pick<Clock, 'now' | 'every'>;
  readonly log: Logger;
}

/**
 * Last uses of all keys are one row, which a process writes at most once a minute, and only if a key was used. Up to a
 * minute of uses is lost with the process.
 */
export function createKeyUses({ store, clock, log }: KeyUseDeps): KeyUses {
  const noted = new Map<string, number>();
  const write = () =>
    record(store, noted).catch((error: unknown) =>
      log.warn({ err: error }, 'last uses of keys cannot be recorded now'),
    );
  const rounds = new Rounds(clock, WRITE_INTERVAL_MS, write);
  return {
    note: (keyId) => void noted.set(keyId, clock.now()),
    read: async () => new Map(Object.entries(merged(usesIn((await store.meta(ROW))?.value), noted))),
    close: async () => {
      await rounds.stop();
      await write();
    },
  };
}

async function record(store: KeyUseDeps['store'], noted: Map<string, number>): Promise<void> {
  if (noted.size === 0) return;
  const written = new Map(noted);
  const change = (value: string | undefined) => JSON.stringify(newest(merged(usesIn(value), written)));
  if (!(await replaceMeta(store, 'api.keyUses', ROW, change))) return;
  for (const [keyId, at] of written) if (noted.get(keyId) === at) noted.delete(keyId);
}

function usesIn(value: string | undefined): Uses {
  return value === undefined ? {} : (JSON.parse(value) as Uses);
}

function merged(known: Uses, noted: ReadonlyMap<string, number>): Uses {
  const later = [...noted].map(([keyId, at]) => [keyId, Math.max(known[keyId] ?? 0, at)] as const);
  return { ...known, ...Object.fromEntries(later) };
}

function newest(uses: Uses): Uses {
  const entries = Object.entries(uses);
  if (entries.length <= MAX_KEYS) return uses;
  return Object.fromEntries(entries.sort(([, a], [, b]) => b - a).slice(0, MAX_KEYS));
}
