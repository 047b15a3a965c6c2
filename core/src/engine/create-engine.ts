import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { ChainId } from '../contract/ids.js';
import { audit } from './audit.js';
import { collectChain } from './collect.js';
import type { EngineContext } from './context.js';
import { Describer } from './describe.js';
import type { Engine, EngineDeps } from './engine.js';
import { checkGas } from './gas-alerts.js';
import { InflowWatch } from './inflows.js';
import { InventoryView } from './inventory.js';
import { openLane } from './open-lanes.js';
import { isPaused, loadPauses, setPause } from './pauses.js';
import { reconcile } from './reconcile.js';
import { settleLane } from './settle.js';
import { trackLane } from './track.js';
import { watchChain } from './watcher.js';
import { startWorker, type Worker } from './worker.js';

const SETTLE_MS = 200;
const TRACK_MS = 1_000;
/** A new block first gets its deposits filled, then the fills of earlier ones are looked at. */
const TRACK_LAG_MS = 50;
const DESCRIBE_MS = 500;
const INVENTORY_MS = 250;
const PRUNE_MS = 60_000;
/** A start waits this long for its lanes and watchers; a chain that does not answer must not hold the others up. */
const OPEN_MS = 5_000;

/** Composes the engine's workers: per chain a watcher and a collector, per lane one that settles and one that tracks. */
export function createEngine(deps: EngineDeps): Engine {
  const stopping = new AbortController();
  const inventory = new InventoryView();
  const inflows = new InflowWatch();
  const byChain = new Map<ChainId, Worker[]>();
  const workers: Worker[] = [];
  const watchers: Promise<void>[] = [];
  const ready: Promise<void>[] = [];
  /** Chains with a durable cursor. A deposit before the first one would never be seen. */
  const watched = new Set<ChainId>();
  const context: EngineContext = {
    ...deps,
    times: new Map(),
    pauses: new Set(),
    stopping: stopping.signal,
    wake: (chainId) => {
      for (const worker of byChain.get(chainId) ?? []) worker.wake();
    },
  };

  const run = (name: string, everyMs: number, round: () => Promise<boolean>, lagMs = 0): Worker => {
    const worker = startWorker(context, name, everyMs, round, lagMs);
    workers.push(worker);
    return worker;
  };

  const startLane = (chain: ChainAdapter, signer: string): Worker[] => {
    let open = false;
    let nowOpen = (): void => {};
    ready.push(
      new Promise((resolve) => {
        nowOpen = resolve;
      }),
    );
    const opened = async (): Promise<boolean> => {
      if (!open) {
        await openLane(context, chain, signer);
        open = true;
        nowOpen();
      }
      return open;
    };
    const label = `${chain.facts.id}:${signer}`;
    return [
      run(`settle:${label}`, SETTLE_MS, async () => (await opened()) && settleLane(context, chain, signer)),
      run(
        `track:${label}`,
        TRACK_MS,
        async () => {
          await trackLane(context, chain, signer);
          checkGas(context, chain);
          return false;
        },
        TRACK_LAG_MS,
      ),
    ];
  };

  return {
    async start() {
      await loadPauses(context);
      for (const cursor of await Promise.all([...deps.chains.keys()].map((id) => deps.store.cursor(id)))) {
        if (!cursor) continue;
        watched.add(cursor.chainId);
        const { headHeight: height, headTime, finalHeight, finalTime } = cursor;
        context.times.set(cursor.chainId, { height, headTime, finalHeight, finalTime, seenAt: deps.clock.monotonic() });
      }
      for (const chain of deps.chains.values()) {
        byChain.set(
          chain.facts.id,
          chain.lanes.flatMap((lane) => startLane(chain, lane.signer)),
        );
        run(`collect:${chain.facts.id}`, deps.policy.collect.everyMs, async () => {
          if (await collectChain(context, chain)) context.wake(chain.facts.id);
          return false;
        });
        ready.push(
          new Promise((resolve) => {
            const follows = (): void => {
              watched.add(chain.facts.id);
              resolve();
            };
            if (watched.has(chain.facts.id)) resolve();
            watchers.push(watchChain(context, chain, follows));
          }),
        );
      }
      const describer = new Describer(context);
      run('describe', DESCRIBE_MS, () => describer.round());
      run('inventory', INVENTORY_MS, async () => {
        await inventory.refresh(context);
        return false;
      });
      run('reconcile', deps.policy.reconcileEveryMs, async () => {
        await reconcile(context, inflows);
        return false;
      });
      run('prune', PRUNE_MS, async () => {
        await deps.store.prune(deps.clock.now());
        return false;
      });
      const patience = new AbortController();
      await Promise.race([Promise.all(ready), deps.clock.sleep(OPEN_MS, patience.signal)]);
      patience.abort();
      await inventory.refresh(context);
    },

    async stop() {
      stopping.abort();
      for (const worker of workers) worker.wake();
      await Promise.all([...workers.map((worker) => worker.done), ...watchers]);
    },

    available: (chainId, currency) => inventory.available(context, chainId, currency),
    paused: (origin, destination) => isPaused(context, origin, destination) ?? (watched.has(origin) ? null : 'chain'),
    pause: (scope, paused, reason) => setPause(context, scope, paused, reason),
    audit: () => audit(context),
  };
}
