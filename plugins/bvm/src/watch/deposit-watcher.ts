import type { Alerts, BlockRef, Clock, DepositBatch, DepositObservation, Logger } from '@causeway/core';
import { isTransportError, type Providers, RpcError } from '@causeway/core/rpc';
import { type Outpoint, outpointsOf } from '../funding-key.js';
import { PrunedError, ViewMoved } from '../rpc/node.js';
import { type AdvanceDeps, advance } from './advance.js';
import { type ArrivalDeps, reportArrivals } from './arrived.js';
import { Dismissed } from './candidates.js';
import { type Cursor, readCursor, tip, writeCursor } from './cursor.js';
import { BookUnread } from './deposit-addresses.js';
import { type Head, type Heads, headRef } from './heads.js';
import { lookAtPool, type SightingDeps } from './sightings.js';

export interface WatcherDeps extends AdvanceDeps, SightingDeps, ArrivalDeps {
  readonly providers: Providers;
  readonly feed: Heads;
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
}

const RETRY_MS = [20, 50, 100, 250, 500, 1000] as const;
/** Interval of absence checks without other changes. */
const IDLE_BATCH_INTERVAL_MS = 60_000;
/** Retry delay for outputs that a search found and a node cannot show now. */
const ARRIVED_RETRY_DELAY_MS = 1_000;

interface Run {
  cursor: Cursor | undefined;
  finalized: BlockRef | undefined;
  /** Last reported version. */
  pool: number;
  /** When to retry what could not be reported; null: nothing. */
  againMs: number | null;
  /** Monotonic time before which arrivals are not examined again. */
  arrivedAt: number;
  readonly dismissed: Dismissed;
}

/**
 * See `ChainAdapter.watchDeposits`. Blocks come first, each batch whole, then the mempool on top of them.
 *
 * Invariants: what is reported of blocks depends only on cursor and chain. Waiting deposits are in the cursor, so
 * that another process resolves them.
 */
export async function* followDeposits(
  deps: WatcherDeps,
  text: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<DepositBatch> {
  const cursor = text === undefined ? undefined : readCursor(text);
  const run: Run = {
    ...{ cursor, finalized: undefined, pool: -1, againMs: null },
    ...{ arrivedAt: Number.NEGATIVE_INFINITY, dismissed: new Dismissed() },
  };
  const alert = `history-${deps.chainId}`;
  let seen: Head | undefined;
  let failures = 0;
  while (!signal.aborted) {
    const head = deps.feed.current;
    const arrived = head !== undefined && head === seen && hasArrived(deps, run);
    if (head === undefined || (head === seen && run.pool === deps.pool.version && !arrived)) {
      await news(deps, head, run, signal);
      // No event reports an absence.
      run.pool = run.pool === deps.pool.version ? -1 : run.pool;
      continue;
    }
    try {
      const step = head !== seen ? processed : arrived ? found : sighted;
      const { batch, complete, settled = [] } = await step(deps, run, head);
      failures = 0;
      deps.providers.read('deposits', head.provider);
      deps.alerts.clear(alert);
      if (complete) seen = head;
      if (signal.aborted) return;
      if (batch !== undefined) yield batch;
      deps.arrivals.settle([...settled, ...reportedIn(batch)]);
    } catch (error) {
      if (error instanceof PrunedError) {
        const message = `Deposits of chain ${deps.chainId} are not read: ${error.message}; add a provider that has the blocks since then`;
        deps.alerts.raise(alert, message);
      } else if (!isUnlearnt(error)) throw error;
      if (!(error instanceof BookUnread)) deps.providers.unread('deposits', head.provider, error);
      const pause = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 1000;
      failures += 1;
      if (failures > 3) deps.log.warn({ error: String(error), height: head.height }, 'deposits cannot be read yet');
      deps.feed.poke();
      await deps.clock.sleep(pause, signal);
    }
  }
}

function isUnlearnt(error: unknown): boolean {
  return isTransportError(error) || [RpcError, ViewMoved, BookUnread].some((kind) => error instanceof kind);
}

function hasArrived({ arrivals, clock }: WatcherDeps, { cursor, arrivedAt }: Run): boolean {
  return cursor !== undefined && clock.monotonic() >= arrivedAt && arrivals.upTo(tip(cursor).height, 1).length > 0;
}

/** Transfers of the batch that are in blocks. */
function reportedIn(batch: DepositBatch | undefined): readonly Outpoint[] {
  return (batch?.deposits ?? []).flatMap(({ chainId, fundingKey, block }) =>
    block === null ? [] : (outpointsOf(chainId, fundingKey) ?? []),
  );
}

async function news(
  { feed, pool, arrivals, clock }: WatcherDeps,
  head: Head | undefined,
  { pool: version, againMs }: Run,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  signal.addEventListener('abort', end);
  const off = arrivals.onAdded(end);
  const pause = Math.min(
    againMs ?? IDLE_BATCH_INTERVAL_MS,
    arrivals.size > 0 ? ARRIVED_RETRY_DELAY_MS : IDLE_BATCH_INTERVAL_MS,
  );
  const waits = [feed.changed(head, over.signal), clock.sleep(pause, over.signal)];
  if (head !== undefined) waits.push(pool.changed(version, over.signal));
  await Promise.race(waits);
  signal.removeEventListener('abort', end);
  off();
  end();
}

interface Reported {
  readonly batch: DepositBatch | undefined;
  readonly complete: boolean;
  /** Arrivals that are done once the batch is recorded. */
  readonly settled?: readonly Outpoint[];
}

async function processed(deps: WatcherDeps, run: Run, head: Head): Promise<Reported> {
  // After the head is known and before its blocks are read.
  await deps.addresses.sync();
  const finalized = later(head.finalized, run.finalized);
  const { cursor } = run;
  if (cursor === undefined) {
    run.cursor = { marks: [{ height: head.height, id: head.id }], waiting: [] };
    return { batch: batchOf(run, head, finalized, []), complete: true };
  }
  const step = await advance(deps, cursor, head, finalized.height);
  if (step === undefined) return { batch: undefined, complete: true };
  run.cursor = step.cursor;
  // Blocks remove transactions from the mempool and free places.
  run.pool = -1;
  const batch = batchOf(run, head, finalized, step.deposits);
  const { rewoundTo, readFrom } = step;
  return {
    batch: { ...batch, readFrom, ...(rewoundTo !== undefined && { rewoundTo }) },
    complete: tip(step.cursor).height === head.height,
  };
}

async function sighted(deps: WatcherDeps, run: Run, head: Head): Promise<Reported> {
  const { cursor } = run;
  const { version } = deps.pool;
  if (cursor === undefined) throw new Error('nothing was read yet');
  const look = await lookAtPool(deps, head.provider, cursor, run.dismissed, deps.clock.now());
  run.cursor = { ...cursor, waiting: look.waiting };
  run.pool = version;
  run.againMs = look.againMs;
  const batch =
    look.deposits.length === 0 ? undefined : batchOf(run, head, later(head.finalized, run.finalized), look.deposits);
  return { batch, complete: true };
}

/** Deposits that a search found in blocks from before their addresses were known. */
async function found(deps: WatcherDeps, run: Run, head: Head): Promise<Reported> {
  const { cursor } = run;
  if (cursor === undefined) throw new Error('nothing was read yet');
  const finalized = later(head.finalized, run.finalized);
  const { deposits, settled, isWhole } = await reportArrivals(deps, head.provider, cursor, finalized.height);
  if (!isWhole) run.arrivedAt = deps.clock.monotonic() + ARRIVED_RETRY_DELAY_MS;
  const batch = deposits.length === 0 ? undefined : batchOf(run, head, finalized, deposits);
  return { batch, complete: true, settled };
}

function batchOf(
  run: Run,
  head: Head,
  finalized: BlockRef,
  deposits: readonly DepositObservation[],
): Omit<DepositBatch, 'rewoundTo' | 'readFrom'> {
  if (run.cursor === undefined) throw new Error('nothing was read yet');
  run.finalized = finalized;
  const { height } = tip(run.cursor);
  const part = height < head.height ? { readTo: height } : {};
  return { cursor: writeCursor(run.cursor), head: headRef(head), finalized, deposits, ...part };
}

function later(block: BlockRef, before: BlockRef | undefined): BlockRef {
  return before !== undefined && before.height > block.height ? before : block;
}
