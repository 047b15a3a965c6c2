import { describe, expect, it } from 'vitest';
import type { Change, ChangeSet, Store } from '../../src/contract/index.js';
import {
  type MemoryStore,
  memoryStore,
  runConformance,
  type StoreHarness,
  storeConformance,
} from '../../src/testing/index.js';
import { memoryHarness } from './memory-harness.js';
import { clock } from './sqlite-harness.js';

/** A store without one guard. */
type Break = (store: MemoryStore) => Partial<Store>;

async function brokenHarness(broken: Break): Promise<StoreHarness> {
  const harness = await memoryHarness();
  const spoil = (store: MemoryStore): Store => ({ ...store, ...broken(store) });
  return {
    store: spoil(harness.store),
    reopen: async () => spoil(await harness.reopen()),
    second: async () => spoil(await harness.second()),
    crash: async () => spoil(await harness.crash()),
    dispose: harness.dispose,
  };
}

const changing =
  (change: (change: Change, store: MemoryStore) => readonly Change[]): Break =>
  (store) => ({
    apply: (set: ChangeSet) => store.apply({ ...set, changes: set.changes.flatMap((one) => change(one, store)) }),
  });

const without = (op: Change['op']) => changing((change) => (change.op === op ? [] : [change]));

/** Accepts every version. */
const anyVersion = changing((change, store) => {
  if (change.op !== 'update' || change.table !== 'lanes') return [change];
  const version = store.database.tables.lanes.get(change.key.id)?.version;
  return [{ ...change, version: version ?? change.version }];
});

const unbounded = changing((change) =>
  change.op === 'count' ? [{ op: 'count', account: change.account, by: change.by }] : [change],
);

const silentDuplicates = changing((change) => (change.op === 'insert' ? [{ ...change, ifAbsent: true }] : [change]));

let serial = 0;
const everyGroupNew = changing((change) => {
  if (change.op !== 'post') return [change];
  serial += 1;
  return [{ ...change, lines: change.lines.map((line) => ({ ...line, groupId: `${line.groupId}/${serial}` })) }];
});

const changeByChange: Break = (store) => ({
  async apply(set) {
    for (const change of set.changes) {
      const outcome = await store.apply({ ...set, changes: [change] });
      if (!outcome.ok) return outcome;
    }
    return { ok: true };
  },
});

const answersEarly: Break = (store) => ({
  async apply(set) {
    const conflict = await memoryStore({ clock, from: store.snapshot() })
      .apply(set)
      .catch(() => undefined);
    setTimeout(() => void store.apply(set).catch(() => undefined), 20);
    return conflict ?? { ok: true };
  },
});

/** Skips events of pending transactions permanently. */
const skipsLateEvents: Break = (store) => ({
  async events(after, limit) {
    const found = await store.events(after, limit);
    return found.length > 2 ? found.filter((_, at) => at !== found.length - 2) : found;
  },
});

const leasesToAnyOwner: Break = (store) => ({
  claimLeases: (scopes, _owner, ttlMs) => store.claimLeases(scopes, 'any-owner', ttlMs),
});

const oneToken: Break = (store) => ({
  async claimLeases(scopes, owner, ttlMs) {
    const leases = await store.claimLeases(scopes, owner, ttlMs);
    return leases.map((lease) => ({ ...lease, token: 1 }));
  },
});

const releasesOthers: Break = (store) => ({
  async releaseLeases(leases) {
    for (const { scope } of leases) {
      const row = store.database.tables.leases.get(scope);
      if (row?.owner) await store.releaseLeases([{ scope, token: row.version }], row.owner);
    }
  },
});

const forgetsOrders: Break = () => ({ tombstonesByOrder: () => Promise.resolve([]) });

/** Pruned rows are not found by prefix. */
const forgetsPrefixes: Break = (store) => ({
  async ordersByPrefix(prefixes) {
    const found = await store.ordersByPrefix(prefixes);
    return found.filter((orderId) => store.database.tables.tombstones.get(orderId) === undefined);
  },
});

/** Takes the first order with the prefix. */
const firstOfPrefix: Break = (store) => ({
  async ordersByPrefix(prefixes) {
    const found = await Promise.all(prefixes.map(async (prefix) => (await store.ordersByPrefix([prefix])).slice(0, 1)));
    return [...new Set(found.flat())];
  },
});

/** Metadata outlives its quotes. */
const keepsMetadata: Break = (store) => ({
  async prune(now, ...lives) {
    const said = [...store.database.tables.clientMetadata.rows()];
    const gone = await store.prune(now, ...lives);
    const changes = said.map((row) => ({ op: 'insert', table: 'clientMetadata', row, ifAbsent: true }) as const);
    await store.apply({ name: 'test.said', changes });
    return gone;
  },
});

/** The last statement wins instead of the first. */
const lastWord: Break = (store) => ({
  async apply(set) {
    for (const change of set.changes) {
      if (change.op === 'insert' && change.table === 'clientMetadata' && change.ifAbsent) {
        store.database.tables.clientMetadata.delete(change.row.requestId);
      }
    }
    return store.apply(set);
  },
});

const BY_PREFIX =
  'finds orders by the first digits of their ids, as quotes or as tombstones, and requests of others never';

const BROKEN: readonly (readonly [what: string, broken: Break, subject: string, found: string])[] = [
  [
    'does not look at fences',
    without('fence'),
    'leases',
    'fences off the late write of a holder that was replaced, whole',
  ],
  [
    'does not look at requirements',
    without('require'),
    'races',
    'lets one of two sets win that each require what the other changes',
  ],
  [
    'does not compare versions',
    anyVersion,
    'races',
    'lets exactly one of many concurrent change sets update each version of a row',
  ],
  ['knows no bounds', unbounded, 'races', 'never reserves more than the pot holds while the pot is emptied'],
  [
    'says nothing of duplicates',
    silentDuplicates,
    'races',
    'lets exactly one of many concurrent change sets claim a funding key',
  ],
  ['posts a group again', everyGroupNew, 'races', 'posts a group once when many writers post it concurrently'],
  ['applies a set change by change', changeByChange, 'apply', 'writes nothing of a set whose last change is refused'],
  [
    'answers before it has written',
    answersEarly,
    'crash',
    'has after a crash all of what it answered for, and of the rest each set whole or not at all',
  ],
  [
    'passes events by',
    skipsLateEvents,
    'feed',
    'shows each event once, whole and in order, to readers that page while writers commit',
  ],
  [
    'gives a lease to any owner',
    leasesToAnyOwner,
    'leases',
    'gives a lease to one owner, and prolongs it without another token',
  ],
  ['gives one token again and again', oneToken, 'leases', 'gives a greater token when a lease ran out or was released'],
  ['gives up the leases of others', releasesOthers, 'leases', 'gives up only what this owner has with that token'],
  [
    'lets the last word of a client stay',
    lastWord,
    'reads',
    'keeps what a client said first of a request, over a restart',
  ],
  [
    'keeps what was said of quotes that are gone',
    keepsMetadata,
    'retention',
    'forgets what a client said of a quote together with the quote, and of no other',
  ],
  ['forgets unpaid orders', forgetsOrders, 'retention', 'knows an order at every moment, as a quote or as a tombstone'],
  ['does not find by its prefix what was shrunk', forgetsPrefixes, 'retention', BY_PREFIX],
  ['takes the first order of a prefix for the only one', firstOfPrefix, 'retention', BY_PREFIX],
];

describe('the store kit', () => {
  it.each(BROKEN)('notices a store that %s', async (_what, broken, subject, found) => {
    const report = await runConformance(storeConformance, () => brokenHarness(broken), {
      only: (check) => check.subject === subject,
      caseTimeoutMs: 2_000,
    });
    const failed = report.cases.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name);
    expect(failed).toContain(found);
    expect(report.ok).toBe(false);
    expect(report.text).toContain(`FAILED ${subject}: ${found}`);
  });

  it('reports a store that keeps its contract, case by case', async () => {
    const report = await runConformance(storeConformance, memoryHarness, { on: 'memory' });
    expect(report.ok, report.text).toBe(true);
    expect(report.text.split('\n')[0]).toBe('store: memory');
    expect(report.cases.every(({ outcome }) => outcome === 'passed')).toBe(true);
  });
});
