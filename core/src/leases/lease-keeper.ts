import type { Clock } from '../contract/clock.js';
import type { Logger, Metrics } from '../contract/observability.js';
import type { ApplyOutcome, ChangeSet, Lease, Store } from '../contract/store.js';
import { LeaseLost, type Tenure } from './tenure.js';

export interface LeaseDeps {
  readonly store: Pick<Store, 'apply' | 'claimLeases' | 'releaseLeases'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

interface Holding extends Tenure {
  readonly lease: Lease;
  /** Monotonic time after which no work begins. */
  until: number;
  readonly end: AbortController;
  lost: boolean;
}

/**
 * Claims and renews the leases that this process works under.
 *
 * Invariant: a lease counts as held until its time to live, counted from before the claim was sent, less a margin. A
 * holder that cannot renew stops starting work before another process can begin; the fencing token refuses late
 * writes.
 */
export class LeaseKeeper {
  readonly #deps: LeaseDeps;
  readonly #scopes: readonly string[];
  readonly #owner: string;
  readonly #ttlMs: number;
  readonly #held = new Map<string, Holding>();
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #stop = new AbortController();
  #draining = false;
  #done: Promise<void> = Promise.resolve();

  constructor(deps: LeaseDeps, scopes: readonly string[], owner: string, ttlMs: number) {
    this.#deps = deps;
    this.#scopes = scopes;
    this.#owner = owner;
    this.#ttlMs = ttlMs;
  }

  /** Resolves with the scopes held after the store's first answer. */
  start(): Promise<ReadonlySet<string>> {
    return new Promise((resolve) => {
      this.#done = this.#run(() => resolve(new Set(this.#held.keys())));
    });
  }

  /** The present or next holding of a scope; undefined when the engine stops first. */
  async next(scope: string): Promise<Tenure | undefined> {
    while (!this.#draining) {
      const holding = this.#held.get(scope);
      if (holding?.held()) return holding;
      await new Promise<void>((resolve) => {
        this.#waiting.set(scope, [...(this.#waiting.get(scope) ?? []), resolve]);
      });
    }
    return undefined;
  }

  holds(scope: string): boolean {
    return this.#held.get(scope)?.held() ?? false;
  }

  /** Starts no more rounds. Leases stay held, so that what is in flight can be recorded. */
  drain(): void {
    this.#draining = true;
    for (const holding of this.#held.values()) holding.end.abort();
    for (const scope of this.#scopes) this.#wake(scope);
  }

  /** Ends every holding at once: nothing is begun, sent or written any more. Does not release the leases. */
  abandon(why: string): void {
    this.drain();
    this.#stop.abort();
    for (const scope of [...this.#held.keys()]) this.#lose(scope, why);
  }

  /** Ends the heartbeat and releases the leases, so that other processes need not wait for expiry. */
  async release(): Promise<void> {
    this.drain();
    this.#stop.abort();
    await this.#done;
    const leases = [...this.#held.values()].map(({ lease }) => lease);
    for (const scope of [...this.#held.keys()]) this.#lose(scope, 'released');
    try {
      if (leases.length > 0) await this.#deps.store.releaseLeases(leases, this.#owner);
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'leases could not be released; they run out by themselves');
    }
  }

  async #run(first: () => void): Promise<void> {
    const { clock, log, metrics } = this.#deps;
    const everyMs = this.#ttlMs / 3;
    while (!this.#stop.signal.aborted) {
      const sentAt = clock.monotonic();
      try {
        this.#settle(await this.#claim(), sentAt);
        first();
      } catch (error) {
        metrics.count('lease_failures', 'Heartbeats that the store did not answer');
        log.warn({ err: error }, 'leases could not be renewed');
      }
      this.#expire();
      const pause = Math.max(everyMs / 4, everyMs - (clock.monotonic() - sentAt));
      await clock.sleep(pause, this.#stop.signal);
    }
    first();
  }

  async #claim(): Promise<readonly Lease[]> {
    const { clock, store } = this.#deps;
    const answered = new AbortController();
    const claim = store.claimLeases(this.#scopes, this.#owner, this.#ttlMs).finally(() => answered.abort('answered'));
    claim.catch(() => undefined);
    while (this.#held.size > 0 && !answered.signal.aborted) {
      const earliest = Math.min(...[...this.#held.values()].map(({ until }) => until));
      await Promise.race([
        claim.then(
          () => undefined,
          () => undefined,
        ),
        clock.sleep(Math.max(0, earliest - clock.monotonic()), answered.signal),
      ]);
      this.#expire();
    }
    return claim;
  }

  #settle(leases: readonly Lease[], sentAt: number): void {
    this.#expire();
    const until = sentAt + this.#ttlMs - this.#ttlMs / 4;
    const tokens = new Map(leases.map((lease) => [lease.scope, lease]));
    for (const scope of this.#scopes) {
      const lease = tokens.get(scope);
      const before = this.#held.get(scope);
      if (before && before.lease.token !== lease?.token) this.#lose(scope, 'another process holds it now');
      if (!lease) continue;
      const still = this.#held.get(scope);
      if (still) still.until = until;
      else if (until > this.#deps.clock.monotonic()) this.#begin(lease, until);
    }
  }

  #expire(): void {
    for (const [scope, holding] of [...this.#held])
      if (!holding.held()) this.#lose(scope, 'it could not be renewed in time');
  }

  #begin(lease: Lease, until: number): void {
    const end = new AbortController();
    const { clock } = this.#deps;
    const holding: Holding = {
      scope: lease.scope,
      lease,
      until,
      end,
      lost: false,
      ended: end.signal,
      held: () => !holding.lost && clock.monotonic() < holding.until,
      apply: (set) => this.#apply(holding, set),
    };
    if (this.#draining) end.abort();
    this.#held.set(lease.scope, holding);
    this.#deps.log.info({ scope: lease.scope, token: lease.token }, 'lease held');
    this.#wake(lease.scope);
  }

  #lose(scope: string, why: string): void {
    const holding = this.#held.get(scope);
    if (!holding) return;
    this.#held.delete(scope);
    holding.lost = true;
    holding.end.abort();
    if (why !== 'released') {
      this.#deps.metrics.count('leases_lost', 'Leases that were lost before they were given up');
      this.#deps.log.warn({ scope, why }, 'lease lost: its work stops here');
    }
  }

  #wake(scope: string): void {
    const waiting = this.#waiting.get(scope) ?? [];
    this.#waiting.delete(scope);
    for (const resolve of waiting) resolve();
  }

  async #apply(holding: Holding, set: ChangeSet): Promise<ApplyOutcome> {
    const { scope, lease } = holding;
    if (!holding.held()) throw new LeaseLost(scope, `the lease ended before ${set.name}`);
    const fence = { op: 'fence', scope, token: lease.token } as const;
    const changes = [/* guard: fence-in-every-change */ fence, ...set.changes];
    const outcome = await this.#deps.store.apply({ ...set, changes });
    if (outcome.ok || outcome.conflict.kind !== 'fenced') return outcome;
    this.#deps.metrics.count('apply_conflicts', 'Change sets that met a conflict and were decided again', {
      set: set.name,
      kind: 'fenced',
    });
    // Only this holding is over; a later one of the same scope may have begun.
    if (this.#held.get(scope) === holding) this.#lose(scope, `${set.name} was fenced off`);
    throw new LeaseLost(scope, `${set.name} was fenced off`);
  }
}
