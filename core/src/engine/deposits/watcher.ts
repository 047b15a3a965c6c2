import { LiveAddressBook } from '../../capabilities/deposit-addresses/book.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Wanted } from '../../contract/deposits.js';
import { LeaseLost } from '../../leases/tenure.js';
import type { WorkContext } from '../base/context.js';
import { openDepository } from '../books/open-pots.js';
import { WatchProblem } from '../books/watch-problem.js';
import { ingest } from './ingest.js';
import { isPromisedOn } from './short-forms.js';
import { WatchSession } from './watch-session.js';

/** Longer than a fast chain's block time, and little to reread after a start. */
const CURSOR_INTERVAL_MS = 500;

/**
 * Watches until the lease ends; calls `watched` once there is a cursor. After a failure the next round repeats from
 * the durable cursor, without effect.
 */
export async function watchChain(context: WorkContext, chain: ChainAdapter, watched: () => void): Promise<void> {
  const chainId = chain.facts.id;
  try {
    // The opening balance is booked before the first deposit, so that it does not contain that deposit.
    await openDepository(context, chain);
    const row = await context.store.cursor(chainId);
    const problem = new WatchProblem(chain);
    const session = new WatchSession(context.clock, CURSOR_INTERVAL_MS);
    const wanted: Wanted = {
      isPromised: isPromisedOn(context, chainId),
      ...(chain.capabilities.depositAddresses ? { addresses: new LiveAddressBook(context, chain) } : {}),
    };
    for await (const batch of chain.watchDeposits(row?.cursor, context.stopping, wanted)) {
      const { head } = batch;
      const known = context.times.get(chainId);
      // A head that is still the newest keeps the time at which it was first seen.
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
      await problem.report(context);
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
