import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { EngineContext } from './context.js';
import { ingest } from './ingest.js';
import { openLane } from './open-lanes.js';

const RESTART_MS = 1_000;

/**
 * Follows one chain from its durable cursor; `watched` is called once there is one. Whatever fails, it starts again
 * from there: a batch that was only partly applied is applied again without effect.
 */
export async function watchChain(context: EngineContext, chain: ChainAdapter, watched: () => void): Promise<void> {
  const chainId = chain.facts.id;
  while (!context.stopping.aborted) {
    try {
      const row = await context.store.cursor(chainId);
      // The books open before the first deposit is seen, so that none is counted in an opening balance as well.
      if (!row) for (const lane of chain.lanes) await openLane(context, chain, lane.signer);
      for await (const batch of chain.watchDeposits(row?.cursor, context.stopping)) {
        context.times.set(chainId, {
          height: batch.head.height,
          headTime: batch.head.timestamp,
          finalHeight: batch.finalized.height,
          finalTime: batch.finalized.timestamp,
          seenAt: context.clock.monotonic(),
        });
        await ingest(context, chainId, batch);
        watched();
        context.metrics.gauge('head_height', 'Newest block that was ingested', batch.head.height, { chain: chainId });
      }
    } catch (error) {
      context.log.error({ chainId, err: error }, 'watching failed, resuming from the durable cursor');
      context.metrics.count('watch_restarts', 'Watchers that resumed after a failure', { chain: chainId });
    }
    if (!context.stopping.aborted) await context.clock.sleep(RESTART_MS, context.stopping);
  }
}
