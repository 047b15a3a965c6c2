import type {
  Alerts,
  ApplyOutcome,
  ChainId,
  ChangeSet,
  Clock,
  Lease,
  Logger,
  Metrics,
  Random,
  Store,
  UnixMs,
} from '@causeway/core';
import { claimDue, decodeRow, type Reader, storeReads } from '@causeway/core/sql';
import type { Knex } from 'knex';
import { Applier } from './apply.js';
import { Connections, type ConnectionsOptions, type Held } from './connections/connections.js';
import { knexOn } from './connections/knex-on.js';
import {
  installerSettings,
  leaseSettings,
  readerSettings,
  type Settings,
  urlWith,
  writerSettings,
} from './connections/settings.js';
import { asUnavailable } from './errors.js';
import { Hints } from './hints.js';
import { History } from './history.js';
import { claimLeases, type LeaseStatements, releaseLeases } from './leases.js';
import type { PgOptions } from './options.js';
import { probe } from './probe.js';
import { prune } from './prune.js';
import { inTime } from './search-time.js';
import type { Calls } from './sql/functions.js';
import { type Installed, install } from './sql/install.js';
import { releaseSql } from './sql/lease-function.js';
import { names } from './sql/names.js';

export interface PgStoreDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
  /** Chains whose requests `search` shows only to callers with a grant. Evaluated per search. */
  readonly hiddenChains: () => readonly ChainId[];
}

const FEED_PAGE = 500;

/** The server's own time-out comes first: it also reports that nothing was written. */
const GRACE_MS = 2_000;

/** Leaves time for another heartbeat within a lease of three seconds. */
const LEASE_DEADLINE_MS = 2_000;

interface Opened {
  readonly calls: Calls;
  readonly history: History;
  readonly applier: Applier;
  readonly writers: Connections;
  readonly leases: Connections;
  readonly readers: Connections;
  readonly writing: Knex;
  readonly reading: Knex;
  readonly hints: Hints | undefined;
}

/**
 * The store of any number of processes on one database.
 *
 * Invariant: only the server judges change sets (apply-function.ts), leases follow its clock, and the selects of one
 * call see one snapshot.
 *
 * @param options with `url` resolved.
 */
export function pgStore(options: PgOptions, deps: PgStoreDeps): Store {
  const { clock } = deps;
  const own = names(options.schema);
  const leaseStatements = ({ calls }: Opened): LeaseStatements => ({ claim: calls.claim, release: releaseSql(own) });
  const listeners = new Set<() => void>();
  const applying = new Set<Promise<unknown>>();
  let opened: Opened | undefined;

  const current = (): Opened => {
    if (!opened) throw new Error('the store is not open');
    return opened;
  };
  const read = <T>(task: (reader: Reader) => Promise<T>): Promise<T> => answered(async () => task(current().reading));
  const readTogether = <T>(task: (reader: Reader) => Promise<T>): Promise<T> =>
    answered(async () => current().reading.transaction(task));
  const readSearch = <T>(task: (reader: Reader) => Promise<T>): Promise<T> =>
    answered(async () => inTime(current().reading, task));

  const plain = storeReads({ read, readTogether, readSearch, hidden: deps.hiddenChains });

  const feed = async (after: number, limit: number) => {
    const { writers, calls } = current();
    const { rows } = await writers.run({ name: 'feed', text: calls.feed, values: [after, limit] });
    return rows.map((row) => ({ ...decodeRow('events', row), position: Number(row['position']) }));
  };

  const apply = async (set: ChangeSet): Promise<ApplyOutcome> => {
    const { applier, hints } = current();
    const applied = applier.apply(set);
    applying.add(applied);
    try {
      const outcome = await applied;
      if (outcome.ok && concernsOthers(set)) hints?.announce();
      return outcome;
    } finally {
      applying.delete(applied);
    }
  };

  return {
    ...plain,
    async open() {
      if (opened) throw new Error('the store is open already');
      const installed = await installAt(options, deps);
      report(installed, options, deps);
      opened = connect(options, deps, installed, () => {
        for (const listener of listeners) listener();
      });
    },
    async close() {
      if (!opened) return;
      const { writers, leases, readers, hints } = opened;
      opened = undefined;
      await Promise.allSettled(applying);
      await hints?.stop();
      await Promise.all([writers.end(), leases.end(), readers.end()]);
    },
    apply,
    claimLeases: (scopes: readonly string[], owner: string, ttlMs: number) =>
      answered(async () => {
        const now = current();
        const { leases: connections, history } = now;
        return claimLeases({ connections, history }, leaseStatements(now), scopes, owner, ttlMs);
      }),
    releaseLeases: (held: readonly Lease[], owner: string) =>
      answered(async () => releaseLeases(current().leases, leaseStatements(current()), held, owner)),
    onHint(listener: () => void) {
      const mine = () => listener();
      listeners.add(mine);
      return () => void listeners.delete(mine);
    },
    prune: (now: UnixMs, anonymousLifeMs?: number, deliveryLifeMs?: number) =>
      answered(async () => prune(current().writers, own, clock, now, anonymousLifeMs, deliveryLifeMs)),
    probe: async () => {
      const { writers, history } = current();
      const { synchronousStandby } = options;
      return probe(writers, own, clock, { timeline: history.timeline, synchronousStandby });
    },
    events: (after: number, limit: number) => answered(() => feed(after, limit)),
    // Events get their positions when they are read.
    feedEnd: () =>
      answered(async () => {
        let end = await plain.feedEnd();
        for (;;) {
          const last = (await feed(end, FEED_PAGE)).at(-1);
          if (last === undefined) return end;
          end = last.position;
        }
      }),
    // A leg locked by another transaction is about to change its version, so a set prepared now would be refused. The
    // next call finds it if it is still due.
    claimDue: (chain: ChainId, signer: string, now: UnixMs, limit: number) =>
      answered(async () =>
        claimDue(current().writing, chain, signer, now, limit, (query) => query.forShare().skipLocked()),
      ),
  };

  async function installAt(given: PgOptions, { log }: PgStoreDeps): Promise<Installed> {
    const installers = pool(given, deps, 'installer', 2, installerSettings(given));
    try {
      return await install(installers, own, given.synchronousStandby ? null : clock.now(), log);
    } finally {
      await installers.end();
    }
  }
}

function report(
  { history, formerly }: Installed,
  { synchronousStandby }: PgOptions,
  { log, alerts }: PgStoreDeps,
): void {
  if (history === null)
    return log.warn(
      {},
      'this server reports nothing about its log: if it ever loses commits, this process will not notice',
    );
  if (formerly === null) return;
  const fields = { formerly, ...history };
  if (synchronousStandby)
    return log.warn(fields, 'the database was promoted or restored; the operator states that it lost nothing');
  log.error(fields, 'the database was promoted or restored since it was last used: the ledger is marked as restored');
  alerts.raise(
    'history',
    'The database was promoted or restored: earlier deposits are not filled, and are refunded only on proof',
    fields,
  );
}

async function answered<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw asUnavailable(error);
  }
}

/** Whether other processes must be notified: not for quotes, which are many and wake no worker. */
function concernsOthers({ changes }: ChangeSet): boolean {
  return changes.some((change) => change.op !== 'insert' || change.table !== 'quotes');
}

function pool(
  options: PgOptions,
  { clock, log }: PgStoreDeps,
  name: string,
  size: number,
  settings: Settings,
  limits: Pick<ConnectionsOptions, 'deadlineMs'> = {},
  history?: History,
): Connections {
  const { connectTimeoutMs, keepAliveMs } = options;
  const url = urlWith(options.url, settings);
  return new Connections(
    { url, size, name, connectTimeoutMs, keepAliveMs, ...limits },
    {
      clock,
      log,
      ...(history ? { admit: (session: Held) => history.admit(session) } : {}),
    },
  );
}

function connect(options: PgOptions, deps: PgStoreDeps, installed: Installed, heard: () => void): Opened {
  const { clock, random, log, metrics } = deps;
  const history = new History(installed.history);
  const deadline = { deadlineMs: options.statementTimeoutMs + GRACE_MS };
  const writers = pool(options, deps, 'writer', options.pool.writers, writerSettings(options), deadline, history);
  const readers = pool(options, deps, 'reader', options.pool.readers, readerSettings(options), deadline);
  const leases = pool(options, deps, 'leases', 1, leaseSettings(options), { deadlineMs: LEASE_DEADLINE_MS }, history);
  const hints = options.hints
    ? new Hints(
        {
          url: options.url,
          channel: `causeway_${options.schema}`,
          self: random.hex(8),
          connectTimeoutMs: options.connectTimeoutMs,
          keepAliveMs: options.keepAliveMs,
          checkMs: options.keepAliveMs,
        },
        { clock, log, connections: writers },
      )
    : undefined;
  hints?.listen(heard);
  hints?.start();
  const { calls } = installed;
  const applier = new Applier({ connections: writers, call: calls.apply, history, clock, random, log, metrics });
  return {
    calls,
    history,
    applier,
    writers,
    readers,
    leases,
    hints,
    writing: knexOn(writers, log),
    reading: knexOn(readers, log),
  };
}
