import { isTransportError, type Provider, RpcError } from '@causeway/core/rpc';
import { brief } from '../brief.js';
import { ViewMoved } from '../logs/view-moved.js';
import { tip, writeCursor } from './cursor.js';
import { isServed } from './deposit-logs.js';
import { checkStart, scanPart } from './scan.js';
import { executionsIn, mergedExecutions, observe, type Step, type WatcherDeps } from './step.js';

/** Final blocks that are read again together. */
const WORTH_A_QUERY = 8;

/**
 * The batch with the deposits of blocks that became final since they were last read, if these are enough to be worth a
 * query. Transfers past the depository's functions, which are paid back when they are final, are only read here and with heads: of a range
 * of blocks that is caught up with they would double the queries that orders wait for. Known ones are harmless repetitions. Another provider is preferred: it may have what the first one lacked.
 * Trouble here holds nothing up; the next batch tries again.
 */
export async function readAgain(deps: WatcherDeps, made: Step): Promise<Step> {
  const { cursor, batch } = made;
  const { config, providers } = deps;
  const to = Math.min(batch.finalized.height, tip(cursor).number, cursor.settled + config.watch.maxRange);
  if (to - cursor.settled < WORTH_A_QUERY) return made;
  for (const provider of [...providers.usable()].reverse()) {
    try {
      return await readFinal(deps, made, provider, to);
    } catch (error) {
      if (isTransportError(error)) providers.failed(provider, error);
      else if (!(error instanceof RpcError || error instanceof ViewMoved)) throw error;
      deps.log.warn(
        { provider: provider.name, error: brief(String(error)), to },
        'final blocks cannot be read again yet',
      );
    }
  }
  return made;
}

/**
 * Race closed here: the provider may be on a fork that the watched chain left. What it tells counts only if it has a
 * processed block at or above the last one read, for what is told to be final is never taken back.
 */
async function readFinal(deps: WatcherDeps, made: Step, provider: Provider, to: number): Promise<Step> {
  const { config, spans } = deps;
  const { cursor, batch } = made;
  const shared = cursor.marks.find(({ number }) => number >= to) ?? tip(cursor);
  const wish = { watched: config, transfers: true, from: cursor.settled, to, marks: () => [] } as const;
  const scan = await scanPart(provider, spans, wish);
  await checkStart(provider, shared);
  const again = observe(deps, scan, batch.finalized).filter((one) => isServed(config, one));
  const newest = new Set(batch.deposits.map(({ fundingKey }) => fundingKey));
  const deposits = [...again.filter(({ fundingKey }) => !newest.has(fundingKey)), ...batch.deposits];
  const executions = mergedExecutions(executionsIn(config, scan, batch.finalized), batch.executions ?? []);
  const settled = { ...cursor, settled: scan.to };
  return { cursor: settled, batch: { ...batch, cursor: writeCursor(settled), deposits, ...executions } };
}
