import { OpenOrders } from '../capabilities/deposit-addresses/open-orders.js';
import { recoverAddress } from '../capabilities/deposit-addresses/recover.js';
import { screenDepositors } from '../capabilities/deposit-addresses/screen-depositors.js';
import { sweepNow } from '../capabilities/deposit-addresses/sweep-now.js';
import { SweepWatch } from '../capabilities/deposit-addresses/sweep-watch.js';
import { acceptCall } from '../capabilities/gasless/accept-call.js';
import { CallLanes } from '../capabilities/gasless/call-lanes.js';
import { acceptPermit } from '../capabilities/permits/accept.js';
import { BalanceNotices } from '../capabilities/sponsorship/balance-notices.js';
import { checkBalances } from '../capabilities/sponsorship/low-balances.js';
import { screenPayers } from '../capabilities/sponsorship/screen-payers.js';
import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { ChainId } from '../contract/ids.js';
import type { LaneRef } from '../contract/legs.js';
import { LeaseKeeper } from '../leases/lease-keeper.js';
import { claimFees } from './app-fees/claim-fees.js';
import { ClaimableView } from './app-fees/claimable.js';
import { offerFees } from './app-fees/offer.js';
import { ClearedDepositors } from './base/cleared-depositors.js';
import { chainOf, type EngineContext } from './base/context.js';
import type { EngineDeps } from './base/deps.js';
import type { FreshLegs } from './base/fresh-legs.js';
import { isVault } from './base/lanes.js';
import { LatelyFinal } from './base/lately-final.js';
import { Patience } from './base/patience.js';
import { pauseReason, setPause } from './base/pauses.js';
import { unparkLegs } from './base/poison.js';
import { earmarkChanges } from './books/earmarks.js';
import { decideNow } from './deposits/ingest.js';
import { RevertedExecutions } from './deposits/reverted.js';
import { WatchSession } from './deposits/watch-session.js';
import { watchChain } from './deposits/watcher.js';
import { askWitnesses } from './deposits/witness.js';
import type { Engine } from './engine.js';
import { Pace } from './keys/pace.js';
import { trackLane } from './keys/track.js';
import { LEG_KINDS } from './kinds/table.js';
import { audit } from './operator/audit.js';
import { claimHold } from './operator/claim-hold.js';
import { holdNamed, holdsOf } from './operator/hold-view.js';
import { inventoryReport } from './operator/inventory-report.js';
import { operatorContext } from './operator/operator.js';
import { refundRequest } from './operator/refund-request.js';
import { releaseHold } from './operator/release-hold.js';
import { resumeLane } from './operator/resume-lane.js';
import { waitsFor } from './operator/waits-for.js';
import { withdraw } from './operator/withdraw.js';
import { LaneRounds, settleLane } from './payouts/settle.js';
import { collectChain, uncollected } from './pots/collect.js';
import { DepositoryWatch } from './pots/depository-watch.js';
import { InflowWatch } from './pots/inflows.js';
import { MissingCollects } from './pots/missing-collects.js';
import { Comparisons, heeding, LaneStarts, matchLane, openLane, WentBack } from './recovery/index.js';
import { rehearsed } from './rehearsed.js';
import { noteDayPrices } from './report/day-prices.js';
import { report } from './report/report.js';
import { ChainHealth } from './rounds/chain-health.js';
import { Cleaning } from './rounds/cleaning.js';
import { Describer } from './rounds/describe.js';
import { checkGas } from './rounds/gas-alerts.js';
import { checkGroups } from './rounds/group-alerts.js';
import { reportInventory } from './rounds/inventory-gauges.js';
import { openWork, pauseOfQuotes } from './rounds/open-work.js';
import { OverdueEarmarks } from './rounds/overdue-earmarks.js';
import { OverviewReader } from './rounds/overview.js';
import { reconcile } from './rounds/reconcile.js';
import { SERVICE_SCOPE, scopeOfChain, scopeOfLane, scopesOf } from './rounds/scopes.js';
import { SharedView } from './rounds/shared-view.js';
import { type Rhythm, startFreeWorker, startWorker, type Worker } from './rounds/worker.js';

const SETTLE_INTERVAL_MS = 200;
const TRACK_INTERVAL_MS = 1_000;
/** Fills of new deposits come before the tracking of earlier fills. */
const TRACK_DELAY_MS = 50;
const WATCH_RETRY_DELAY_MS = 1_000;
const WITNESS_INTERVAL_MS = 1_000;
const REVERTED_INTERVAL_MS = 1_000;
const ADDRESSES_INTERVAL_MS = 1_000;
const DESCRIBE_INTERVAL_MS = 500;
const SHARED_VIEW_INTERVAL_MS = 250;
const GAUGES_INTERVAL_MS = 5_000;
const PRUNE_INTERVAL_MS = 60_000;
const EARMARKS_INTERVAL_MS = 1_000;
const DRAINING = 'The service finishes what it promised and takes nothing new';
/** A silent chain must not block the others. */
const OPEN_TIMEOUT_MS = 5_000;

/**
 * Per chain a watcher and a collector; per lane workers that pay out, track keys and compare it with its chain; and
 * workers for the service. Each runs while this process holds its lease.
 */
export function createEngine(deps: EngineDeps): Engine {
  const stopping = new AbortController();
  const byChain = new Map<ChainId, Worker[]>();
  const settling = new Map<string, Worker>();
  /** Of the lanes that this process holds. */
  const given = new Map<string, FreshLegs>();
  const workers: Worker[] = [];
  let works = false;
  const context: EngineContext = {
    ...deps,
    kinds: LEG_KINDS,
    times: new Map(),
    read: new Map(),
    followed: new Map(),
    pauses: new Map(),
    stopping: stopping.signal,
    wake: (chainId) => {
      for (const worker of byChain.get(chainId) ?? []) worker.wake();
    },
    wakeLane: (chainId, signer, fresh) => {
      const scope = scopeOfLane(chainId, signer);
      if (fresh) given.get(scope)?.give(fresh);
      settling.get(scope)?.wake();
    },
    // The paying process waits for the comparison.
    compared: (chainId) => !works || comparisons.of(chainId),
    unserved: (chainId) => health.unserved(chainId),
    latelyFinal: new LatelyFinal(),
    cleared: new ClearedDepositors(),
  };
  const starts = new LaneStarts();
  const comparisons = new Comparisons(context);
  const health = new ChainHealth(context);
  const view = new SharedView(context, comparisons, health);
  const wentBack = new WentBack(deps, () => {
    stopping.abort();
    keeper.abandon('the database lost commits');
    for (const worker of workers) worker.wake();
    deps.onDatabaseWentBack?.();
  });
  const store = heeding(deps.store, (error) => wentBack.report(error));
  const keeper = new LeaseKeeper(
    { ...deps, store },
    scopesOf(deps.chains.values()),
    deps.random.hex(16),
    deps.policy.leaseTtlMs,
  );
  const opened = new Milestones();

  const run = (scope: string, rhythm: Rhythm, begin: Parameters<typeof startWorker>[3]): Worker => {
    const worker = startWorker(context, () => keeper.next(scope), rhythm, begin);
    workers.push(worker);
    return worker;
  };

  const startLane = (chain: ChainAdapter, lane: LaneRef, pace: Pace): Worker[] => {
    const { signer } = lane;
    const label = `${chain.facts.id}:${signer}`;
    const scope = scopeOfLane(chain.facts.id, signer);
    const settle = run(scope, { name: `settle:${label}`, everyMs: SETTLE_INTERVAL_MS }, (work) => {
      let open = false;
      const rounds = new LaneRounds();
      given.set(scope, rounds.fresh);
      const round = async () => {
        if (!open && !(await openLane({ ...work, starts }, chain, signer))) return true;
        if (!open) await comparisons.refresh();
        open = true;
        opened.reach(scope);
        return settleLane(work, chain, signer, rounds);
      };
      const end = async () => {
        given.delete(scope);
        rounds.failing.end(work, chain, signer);
        await rounds.sends.end();
      };
      return { round, end };
    });
    settling.set(scope, settle);
    return [
      settle,
      run(scope, { name: `track:${label}`, everyMs: TRACK_INTERVAL_MS, lagMs: TRACK_DELAY_MS }, (work) => async () => {
        await trackLane(work, chain, signer, pace);
        // Before, the books do not know what a lane has.
        if (opened.has(scope)) await checkGas(work, chain, lane);
        return false;
      }),
    ];
  };

  const startLaneWatch = (chain: ChainAdapter, signer: string): void => {
    const name = `compare:${chain.facts.id}:${signer}`;
    run(scopeOfLane(chain.facts.id, signer), { name, everyMs: deps.policy.reconcileEveryMs }, (work) => {
      const inflows = new InflowWatch();
      return async () => {
        if (!(await openLane({ ...work, starts }, chain, signer))) return true;
        await unparkLegs(work, chain.facts.id, signer);
        const matched = await matchLane({ ...work, starts }, chain, signer);
        if (!matched.ok) work.log.info({ chainId: chain.facts.id, signer, why: matched.why }, 'lane stays halted');
        if (!isVault(chain, signer)) await inflows.check(work, chain, signer);
        return false;
      };
    });
  };

  const startChain = (chain: ChainAdapter): void => {
    const { id } = chain.facts;
    const scope = scopeOfChain(id);
    const pace = new Pace(deps.clock, stopping.signal);
    byChain.set(
      id,
      chain.lanes.flatMap((lane) => startLane(chain, lane, pace)),
    );
    for (const { signer } of chain.lanes) startLaneWatch(chain, signer);
    run(scope, { name: `watch:${id}`, everyMs: WATCH_RETRY_DELAY_MS }, (work) => async () => {
      if (view.watched(id)) opened.reach(scope);
      await watchChain(work, chain, () => opened.reach(scope));
      return false;
    });
    const witness = run(scope, { name: `witness:${id}`, everyMs: WITNESS_INTERVAL_MS }, (work) => {
      const session = new WatchSession(deps.clock);
      const [patience, ofPayers] = [new Patience(deps.clock), new Patience(deps.clock)];
      return async () => {
        const cleared = await screenDepositors(work, chain, patience);
        const payers = await screenPayers(work, chain, ofPayers);
        const witnessed = await askWitnesses(work, chain, session.patience);
        await decideNow(work, id, [...new Set([...cleared, ...payers, ...witnessed])], session);
        return false;
      };
    });
    byChain.get(id)?.push(witness);
    if (chain.capabilities.depositAddresses && deps.requote) {
      const { requote } = deps;
      const open = run(scope, { name: `addresses:${id}`, everyMs: ADDRESSES_INTERVAL_MS }, (work) => {
        const orders = new OpenOrders(work, requote);
        return () => orders.round(work, chain);
      });
      byChain.get(id)?.push(open);
    }
    if (chain.capabilities.depositAddresses?.sweeps === true)
      run(scope, { name: `sweeps:${id}`, everyMs: deps.policy.reconcileEveryMs }, (work) => {
        const sweeps = new SweepWatch();
        return async () => {
          await sweeps.round(work, chain);
          return false;
        };
      });
    if (chain.revertedExecution)
      run(scope, { name: `reverted:${id}`, everyMs: REVERTED_INTERVAL_MS }, (work) => {
        const reverted = new RevertedExecutions(work, chain);
        return () => reverted.round();
      });
    run(scope, { name: `pots:${id}`, everyMs: deps.policy.reconcileEveryMs }, (work) => {
      const watch = new DepositoryWatch(work);
      return async () => {
        await watch.round(work, chain);
        return false;
      };
    });
    run(scope, { name: `collect:${id}`, everyMs: deps.policy.collect.everyMs }, (work) => {
      const patience = new Patience(deps.clock);
      const missing = new MissingCollects();
      return async () => {
        if (await collectChain(work, chain, patience, missing)) work.wake(id);
        return false;
      };
    });
  };

  const startService = (): void => {
    run(SERVICE_SCOPE, { name: 'describe', everyMs: DESCRIBE_INTERVAL_MS, rests: true }, (work) => {
      const describer = new Describer(work);
      return () => describer.round();
    });
    run(SERVICE_SCOPE, { name: 'reconcile', everyMs: deps.policy.reconcileEveryMs }, (work) => async () => {
      await reconcile(work);
      await noteDayPrices(work);
      checkGroups(work);
      await checkBalances(work);
      return false;
    });
    const { endpoints } = deps;
    if (endpoints !== undefined && deps.policy.lowBalanceMicroUsd !== undefined)
      run(SERVICE_SCOPE, { name: 'balance notices', everyMs: deps.policy.reconcileEveryMs }, (work) => {
        const notices = new BalanceNotices(work, endpoints);
        return () => notices.round();
      });
    run(SERVICE_SCOPE, { name: 'earmarks', everyMs: EARMARKS_INTERVAL_MS }, (work) => {
      const overdue = new OverdueEarmarks(work);
      return () => overdue.round();
    });
    const { anonymousQuotes, deliveryLifeMs } = deps.policy;
    const lives = { anonymousMs: anonymousQuotes.lifeMs, deliveriesMs: deliveryLifeMs };
    const cleaning = new Cleaning(deps.store, deps.clock, PRUNE_INTERVAL_MS, lives);
    run(SERVICE_SCOPE, { name: 'prune', everyMs: PRUNE_INTERVAL_MS }, () => () => cleaning.round());
  };

  const overview = new OverviewReader(context, view.inventory, health);
  const claimable = new ClaimableView();
  const callLanes = new CallLanes(context);
  let unhint = (): void => {};
  const engine: Engine = {
    store,
    async start({ work } = { work: true }) {
      works = work;
      await Promise.all([comparisons.begin(), starts.readLedger(context)]);
      await view.refresh();
      const shared = startFreeWorker(context, { name: 'shared', everyMs: SHARED_VIEW_INTERVAL_MS }, async () => {
        await view.refresh();
        return false;
      });
      const gauges = startFreeWorker(context, { name: 'gauges', everyMs: GAUGES_INTERVAL_MS }, async () => {
        await reportInventory(context, view.inventory);
        return false;
      });
      workers.push(shared, gauges);
      unhint =
        deps.store.onHint?.(() => {
          shared.wake();
          for (const chainId of deps.chains.keys()) context.wake(chainId);
        }) ?? unhint;
      if (!work) return;
      // Not awaited: a silent chain must not block the others.
      for (const chain of deps.chains.values()) void starts.look(chain);
      for (const chain of deps.chains.values()) startChain(chain);
      startService();
      const held = keeper.start().then((scopes) => Promise.all([...scopes].map((scope) => opened.reached(scope))));
      const patience = new AbortController();
      await Promise.race([held, deps.clock.sleep(OPEN_TIMEOUT_MS, patience.signal)]);
      patience.abort();
      await view.refresh();
    },

    async stop() {
      unhint();
      stopping.abort();
      keeper.drain();
      for (const worker of workers) worker.wake();
      await Promise.all(workers.map((worker) => worker.done));
      await keeper.release();
    },

    available: (chainId, currency) => view.inventory.available(context, chainId, currency),
    held: (chainId, currency) => view.inventory.held(context, chainId, currency),
    earmark: (output) => earmarkChanges(context, output),
    shortOfSpace: () => view.space.short(),
    volumeLeft: () => view.inventory.volumeLeft(context),
    paused: (origin, destination) =>
      pauseOfQuotes(context, origin, destination) ?? (view.watched(origin) ? null : 'chain'),
    unserved: (chainId) => health.unserved(chainId),
    chainStatus: (chainId) => health.status(chainOf(context, chainId)),
    pauseReason: (origin, destination) =>
      deps.draining === true ? DRAINING : pauseReason(context, origin, destination),
    pause: (scope, paused, reason) => setPause(store, context, scope, paused, reason),
    audit: () => audit(context),
    overview: () => overview.read(),
    waitsFor: (id) => waitsFor(context, id),
    refundRequest: (id) => refundRequest(operatorContext(context, store), id),
    releaseHold: (id, to, unpaid) => releaseHold(operatorContext(context, store), id, to, unpaid),
    holdsOf: (transactionHash) => holdsOf(context, transactionHash),
    hold: (id, recipient) => holdNamed(context, id, recipient),
    claimHold: (id, recipient, signature) => claimHold(operatorContext(context, store), id, recipient, signature),
    feeBalance: (place) => claimable.of(context, place),
    offerFees: (ask) => offerFees(context, claimable, ask),
    claimFees: (ask, claimId, signature) => claimFees(operatorContext(context, store), ask, claimId, signature),
    callLanes: (chainId) => callLanes.of(chainOf(context, chainId)),
    acceptCall: (ask, also) => acceptCall(operatorContext(context, store), ask, also),
    acceptPermit: (ask) => acceptPermit(operatorContext(context, store), callLanes, ask),
    recoverAddress: (chainId, requestId) => recoverAddress(operatorContext(context, store), chainId, requestId),
    sweepAddress: (chainId, address) => sweepNow(operatorContext(context, store), chainId, address),
    openWork: () => openWork(context),
    uncollected: () => uncollected(context),
    inventory: () => inventoryReport(context, view.inventory),
    report: (from, to, after) => report(context, from, to, after),
    withdraw: (ask) =>
      withdraw(operatorContext(context, store), (chainId, currency) => view.inventory.promised(chainId, currency), ask),
    resumeLane: (chainId, signer) => resumeLane({ ...operatorContext(context, store), starts }, chainId, signer),
  };
  if (deps.rehearsing !== true) return engine;
  return rehearsed(engine, {
    statusOf: (chainId) => chainOf(context, chainId).status(),
    paused: (origin, destination) => pauseOfQuotes(context, origin, destination),
  });
}

class Milestones {
  readonly #reached = new Set<string>();
  readonly #waiting = new Map<string, () => void>();

  reach(scope: string): void {
    this.#reached.add(scope);
    this.#waiting.get(scope)?.();
  }

  has(scope: string): boolean {
    return this.#reached.has(scope);
  }

  reached(scope: string): Promise<void> {
    if (scope === SERVICE_SCOPE || this.#reached.has(scope)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(scope, resolve));
  }
}
