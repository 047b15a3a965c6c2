import { followFastFills } from '../../capabilities/fast-fill/fast-fill.js';
import { endSponsored } from '../../capabilities/sponsorship/sponsor-fill.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { ApplyOutcome, Store } from '../../contract/store.js';
import type { Tenure } from '../../leases/tenure.js';
import type { ClearedDepositors } from './cleared-depositors.js';
import type { EngineDeps } from './deps.js';
import type { FreshLeg } from './fresh-legs.js';
import type { LatelyFinal } from './lately-final.js';
import type { LegKindsFor, LegRulesFor } from './leg-rules.js';
import type { UnitOfWork } from './unit-of-work.js';

/** The newest head and when a watcher reported it. */
export interface ChainTime {
  readonly height: number;
  readonly headTime: number;
  readonly finalHeight: number;
  readonly finalTime: number;
  readonly seenAt: number;
}

export type StoreReads = Omit<
  Store,
  'apply' | 'open' | 'close' | 'prune' | 'claimLeases' | 'releaseLeases' | 'onHint' | 'onEvents' | 'ping' | 'probe'
>;

/**
 * Shared by an engine's parts. Holds nothing that a restart would miss, and cannot write: writes go through a
 * `Tenure`.
 */
export interface EngineContext extends Omit<EngineDeps, 'store'> {
  readonly store: StoreReads;
  readonly kinds: LegKinds;
  readonly times: Map<ChainId, ChainTime>;
  /** Height up to which this process has recorded each watched chain. */
  readonly read: Map<ChainId, number>;
  /** The same, including single transactions that no provider returns. */
  readonly followed: Map<ChainId, number>;
  /** Aborted when stopping: nothing may be sent after that. */
  readonly stopping: AbortSignal;
  wake(chainId: ChainId): void;
  /** Only what executes the legs that are due in one lane. `fresh`: one of them, just committed. */
  wakeLane(chainId: ChainId, signer: string, fresh?: FreshLeg): void;
  readonly pauses: Map<string, string | null>;
  /**
   * False until every lane of the chain was compared with it since this process started, by any process: sends
   * unknown to the ledger may exist (G15). True in a process that pays nothing.
   */
  compared(chainId: ChainId): boolean;
  /** Why deposits or fees of the chain are not read now, though its adapter is healthy; null: they are. From memory. */
  unserved(chainId: ChainId): string | null;
  readonly latelyFinal: LatelyFinal;
  readonly cleared: ClearedDepositors;
}

export interface WorkContext extends EngineContext {
  readonly tenure: Tenure;
}

export type LegRules = LegRulesFor<EngineContext, WorkContext>;
export type LegKinds = LegKindsFor<EngineContext, WorkContext>;

export function workContext(host: EngineContext, tenure: Tenure): WorkContext {
  return { ...host, stopping: tenure.ended, tenure };
}

export function mayWork(context: Pick<WorkContext, 'stopping' | 'tenure'>): boolean {
  return !context.stopping.aborted && context.tenure.held();
}

export function chainOf(context: Pick<EngineContext, 'chains'>, chainId: ChainId): ChainAdapter {
  const chain = context.chains.get(chainId);
  if (!chain) throw new Error(`chain ${chainId} is not configured`);
  return chain;
}

/** Chain clock for deadlines: the newest head's time plus the time since, never behind the local clock. */
export function chainNow(context: EngineContext, chainId: ChainId): number {
  return Math.max(context.clock.now(), chainClock(context, chainId) ?? 0);
}

/** The same without the local wall clock, which may be wrong; undefined before the first head. */
export function chainClock({ times, clock }: Pick<EngineContext, 'times' | 'clock'>, chainId: ChainId) {
  const time = times.get(chainId);
  return time && time.headTime + (clock.monotonic() - time.seenAt);
}

export function headHeight(context: EngineContext, chainId: ChainId): number {
  return context.times.get(chainId)?.height ?? 0;
}

/**
 * Applies a fenced unit of work; the name is for logs and crash points. An empty one counts as written.
 *
 * @throws LeaseLost
 */
export async function commit(context: WorkContext, name: string, work: UnitOfWork): Promise<ApplyOutcome> {
  endSponsored(context, work);
  followFastFills(work, context.clock.now());
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

const MAX_COMMIT_TRIES = 12;

/**
 * Decides and commits until no other writer interferes. `build` must read everything it decides on. Throws after many
 * conflicts: a bug, not contention.
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
    if (tries >= MAX_COMMIT_TRIES) {
      throw new Error(
        `${name}: gave up after ${tries} conflicts, the last on ${outcome.conflict.table}/${outcome.conflict.key}`,
      );
    }
  }
}
