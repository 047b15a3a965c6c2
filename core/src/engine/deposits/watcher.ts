import type { ChainAdapter } from '../../contract/chain-adapter.js';
import { LeaseLost } from '../../leases/tenure.js';
import type { WorkContext } from '../base/context.js';
import { openDepository } from '../books/open-pots.js';
import { ingest } from './ingest.js';
import { isPromisedOn } from './short-forms.js';
import { WatchSession } from './watch-session.js';

/** More than a fast chain takes for a block, and little to read again after a start. */
const CURSOR_MS = 500;

/**
 * Follows one chain from its durable cursor until the lease ends; `watched` is called once there is a cursor. Whatever
 * fails, the next round starts again from there: a batch that was only partly applied is applied again without effect.
 */
export async function watchChain(context: WorkContext, chain: ChainAdapter, watched: () => void): Promise<void> {
  const chainId = chain.facts.id;
  try {
    // The books open before the first deposit is seen, so that none is counted in an opening balance as well.
    await openDepository(context, chain);
    const row = await context.store.cursor(chainId);
    const session = new WatchSession(context.clock, CURSOR_MS);
    const wanted = { isPromised: isPromisedOn(context, chainId) };
    for await (const batch of chain.watchDeposits(row?.cursor, context.stopping, wanted)) {
      const { head } = batch;
      const known = context.times.get(chainId);
      // Time goes on for as long as a head is the newest one.
      const isKnown = known?.height === head.height && known.headTime === head.timestamp;
      context.times.set(chainId, {
        height: head.height,
        headTime: head.timestamp,
        finalHeight: batch.finalized.height,
        finalTime: batch.finalized.timestamp,
        seenAt: isKnown ? known.seenAt : context.clock.monotonic(),
      });
      await ingest(context, chainId, batch, session);
      const readTo = batch.readTo ?? batch.head.height;
      context.read.set(chainId, readTo);
      context.followed.set(chainId, batch.listedTo ?? readTo);
      watched();
      context.metrics.gauge('head_height', 'Newest block that was ingested', batch.head.height, { chain: chainId });
    }
  } catch (error) {
    if (!(error instanceof LeaseLost)) {
      context.metrics.count('watch_restarts', 'Watchers that resumed after a failure', { chain: chainId });
      context.log.error({ chainId, err: error }, 'watching failed, resuming from the durable cursor');
      return;
    }
    throw error;
  } finally {
    context.followed.delete(chainId);
  }
}
