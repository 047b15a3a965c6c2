import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { ApplyOutcome, Store } from '../../contract/store.js';
import type { Tenure } from '../../leases/tenure.js';
import type { EngineDeps } from './deps.js';
import type { LatelyFinal } from './lately-final.js';
import type { LegKindsFor, LegRulesFor } from './leg-rules.js';
import type { UnitOfWork } from './unit-of-work.js';

/** The newest head a watcher reported, with the moment it did, to estimate the chain's clock between blocks. */
export interface ChainTime {
  readonly height: number;
  readonly headTime: number;
  readonly finalHeight: number;
  readonly finalTime: number;
  readonly seenAt: number;
}

/** What every part may ask of the store. Writing goes through a `Tenure`. */
export type StoreReads = Omit<
  Store,
  'apply' | 'open' | 'close' | 'prune' | 'claimLeases' | 'releaseLeases' | 'onHint' | 'onEvents' | 'ping' | 'probe'
>;

/** Shared by the parts of one engine. Holds nothing that a restart would miss, and cannot write. */
export interface EngineContext extends Omit<EngineDeps, 'store'> {
  readonly store: StoreReads;
  /** What is particular to each kind of leg. */
  readonly kinds: LegKinds;
  readonly times: Map<ChainId, ChainTime>;
  /** Height up to which this process has read and recorded each chain that it watches. */
  readonly read: Map<ChainId, number>;
  /** The same but for single transactions that no provider gives: as far as this process follows each chain that it watches. */
  readonly followed: Map<ChainId, number>;
  /** Set when stopping: nothing may be sent after that. */
  readonly stopping: AbortSignal;
  /** Wakes the workers of a chain. */
  wake(chainId: ChainId): void;
  /** Switches in force, by scope, and why. */
  readonly pauses: Map<string, string | null>;
  /**
   * False until every lane of the chain was compared with it since this process started, here or elsewhere: what the
   * ledger does not know of may have been sent there (G15). True in a process that pays nothing.
   */
  compared(chainId: ChainId): boolean;
  /** Deposits that became final a moment ago. */
  readonly latelyFinal: LatelyFinal;
}

/** What a round of leased work has: as long as the lease lasts, and no longer, it may write and send. */
export interface WorkContext extends EngineContext {
  readonly tenure: Tenure;
}

/** What the engine does for one kind of leg. */
export type LegRules = LegRulesFor<EngineContext, WorkContext>;
export type LegKinds = LegKindsFor<EngineContext, WorkContext>;

export function workContext(host: EngineContext, tenure: Tenure): WorkContext {
  return { ...host, stopping: tenure.ended, tenure };
}

/** False once the lease is lost or the engine stops: nothing is begun or sent then. */
export function mayWork(context: WorkContext): boolean {
  return !context.stopping.aborted && context.tenure.held();
}

export function chainOf(context: Pick<EngineContext, 'chains'>, chainId: ChainId): ChainAdapter {
  const chain = context.chains.get(chainId);
  if (!chain) throw new Error(`chain ${chainId} is not configured`);
  return chain;
}

/** Estimate of the chain's clock for deadlines: the newest head's time plus what passed since, never behind our own clock. */
export function chainNow(context: EngineContext, chainId: ChainId): number {
  return Math.max(context.clock.now(), chainClock(context, chainId) ?? 0);
}

/** The same without our wall clock, which may be wrong; undefined before the first head. It goes on while the chain stands still. */
export function chainClock({ times, clock }: Pick<EngineContext, 'times' | 'clock'>, chainId: ChainId) {
  const time = times.get(chainId);
  return time && time.headTime + (clock.monotonic() - time.seenAt);
}

export function headHeight(context: EngineContext, chainId: ChainId): number {
  return context.times.get(chainId)?.height ?? 0;
}

/**
 * Applies a unit of work, fenced, under a name for logs and crash points. Nothing to write counts as written.
 *
 * @throws LeaseLost, which ends the round.
 */
export async function commit(context: WorkContext, name: string, work: UnitOfWork): Promise<ApplyOutcome> {
  const set = work.toChangeSet(name);
  if (set.changes.length === 0) return { ok: true };
  const outcome = await context.tenure.apply(set);
  if (!outcome.ok) {
    context.metrics.count('apply_conflicts', 'Change sets that met a conflict and were decided again', {
      set: name,
      kind: outcome.conflict.kind,
    });
    context.log.debug({ set: name, conflict: outcome.conflict }, 'conflict, deciding again');
  }
  return outcome;
}

const MOST_TRIES = 12;

/**
 * Reads, decides and commits until no other writer interferes. `build` must read everything it decides on.
 * Throws after many conflicts: that many mean a bug, not contention.
 */
export async function decideAndCommit<T>(
  context: WorkContext,
  name: string,
  build: () => Promise<{ readonly work: UnitOfWork; readonly result: T }>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const { work, result } = await build();
    const outcome = await commit(context, name, work);
    if (outcome.ok) return result;
    if (tries >= MOST_TRIES) {
      throw new Error(
        `${name}: gave up after ${tries} conflicts, the last on ${outcome.conflict.table}/${outcome.conflict.key}`,
      );
    }
  }
}
