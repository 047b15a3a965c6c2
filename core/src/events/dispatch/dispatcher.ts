import type { EndpointRow } from '../../contract/delivery-rows.js';
import type { EndpointChannel, Notifier } from '../../contract/notifier.js';
import type { Metrics } from '../../contract/observability.js';
import type { Change } from '../../contract/store.js';
import { LeaseKeeper } from '../../leases/lease-keeper.js';
import { LeaseLost } from '../../leases/tenure.js';
import { Sealer } from '../endpoints/sealer.js';
import { reportBacklog } from './backlog-gauges.js';
import { type DispatchDeps, Shard } from './shard.js';
import { SHARDS, shardOf } from './shards.js';

export interface DispatcherDeps extends Omit<DispatchDeps, 'notifiers' | 'channels' | 'sealer' | 'pollMs'> {
  readonly notifiers: readonly Notifier[];
  readonly channels?: readonly EndpointChannel[];
  readonly sealer?: Sealer;
  /** Other processes may take a lease that was not renewed for this long. */
  readonly leaseTtlMs: number;
  readonly leaseMetrics: Metrics;
  /** Default: 250. */
  readonly pollMs?: number;
}

export interface Dispatcher {
  /** Resolves once every configured notifier has its endpoint and the free leases are held. */
  start(): Promise<void>;
  /** Starts no further delivery; resolves when those in progress are recorded. */
  stop(): Promise<void>;
}

/** Delivers events at least once, in order per request. Processes of one database share the work by leases. */
export function createDispatcher({
  notifiers,
  channels = [],
  sealer,
  leaseTtlMs,
  leaseMetrics,
  pollMs = 250,
  ...rest
}: DispatcherDeps): Dispatcher {
  const deps: DispatchDeps = {
    ...rest,
    pollMs,
    notifiers: new Map(notifiers.map((notifier) => [notifier.id, notifier])),
    channels: new Map(channels.map((channel) => [channel.id, channel])),
    sealer: sealer ?? new Sealer([], rest.random),
  };
  const { store, random } = deps;
  const scopes = Array.from({ length: SHARDS }, (_, n) => `dispatch:${n}`);
  const keeper = new LeaseKeeper(
    { ...deps, metrics: leaseMetrics },
    scopes,
    `dispatcher:${random.hex(16)}`,
    leaseTtlMs,
  );
  const working = new Set<Shard>();
  const wake = (): void => {
    for (const shard of working) shard.wake();
  };
  let running: Promise<unknown> = Promise.resolve();
  let unhint = (): void => undefined;

  async function work(number: number, scope: string): Promise<void> {
    for (let tenure = await keeper.next(scope); tenure !== undefined; tenure = await keeper.next(scope)) {
      const shard = new Shard(deps, number, tenure);
      working.add(shard);
      const reporting = number === 0 ? reportBacklog(deps, tenure.ended) : undefined;
      try {
        await shard.run();
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error;
      } finally {
        working.delete(shard);
        await reporting;
      }
    }
  }

  return {
    async start() {
      await addEndpoints(deps);
      await keeper.start();
      const ends = [store.onHint?.(wake), store.onEvents?.(wake)];
      unhint = () => {
        for (const end of ends) end?.();
      };
      running = Promise.all(scopes.map((scope, number) => work(number, scope)));
    },
    async stop() {
      unhint();
      keeper.drain();
      try {
        await running;
      } finally {
        await keeper.release();
      }
    },
  };
}

/**
 * A notifier receives events from its first start on, but none that was processed while no process served it. A start enables
 * disabled notifiers again.
 */
async function addEndpoints({ store, notifiers, clock }: DispatchDeps): Promise<void> {
  const known = new Map((await store.endpoints()).map((row) => [row.id, row]));
  const fromPosition = await store.feedEnd();
  const now = clock.now();
  const changes = [...notifiers.keys()].flatMap((id): Change[] => {
    const before = known.get(id);
    if (before === undefined) {
      const row: EndpointRow = {
        ...{ id, version: 1, channel: id, shard: shardOf(id), state: 'active', reason: null, fromPosition },
        ...{ integratorId: null, url: null, settings: '{}', sealed: null },
        ...{ failingSince: null, createdAt: now, updatedAt: now },
      };
      return [{ op: 'insert', table: 'endpoints', row, ifAbsent: true }];
    }
    if (before.state === 'active') return [];
    const set = { state: 'active', reason: null, failingSince: null, updatedAt: now } as const;
    return [{ op: 'update', table: 'endpoints', key: { id }, version: before.version, set }];
  });
  // On conflict another process with the same config was first.
  if (changes.length > 0) await store.apply({ name: 'dispatch.endpoints', changes });
}
