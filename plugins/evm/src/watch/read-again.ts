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
 * Adds the deposits of blocks that became final since the last read, if there are enough for a query. Repetitions are
 * harmless. Prefers another provider, which may have what the first lacked. Failures are retried with the next batch.
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
 * Race closed here: the provider may be on an abandoned fork. Its logs count only if it has a processed block at or
 * above the last one read, as final deposits are never withdrawn.
 */
async function readFinal(deps: WatcherDeps, made: Step, provider: Provider, to: number): Promise<Step> {
  const { config, spans } = deps;
  const { cursor, batch } = made;
  const shared = cursor.marks.find(({ number }) => number >= to) ?? tip(cursor);
  const wish = { watched: config, from: cursor.settled, to, marks: () => [] } as const;
  const scan = await scanPart(provider, spans, wish);
  const ids = await deps.carried.read(provider, scan.logs);
  await checkStart(provider, shared);
  const again = observe(deps, { ...scan, ids }, batch.finalized).filter((one) => isServed(config, one));
  const newest = new Set(batch.deposits.map(({ fundingKey }) => fundingKey));
  const deposits = [...again.filter(({ fundingKey }) => !newest.has(fundingKey)), ...batch.deposits];
  const executions = mergedExecutions(executionsIn(config, scan, batch.finalized), batch.executions ?? []);
  const settled = { ...cursor, settled: scan.to };
  return { cursor: settled, batch: { ...batch, cursor: writeCursor(settled), deposits, ...executions } };
}
