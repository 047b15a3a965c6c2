import { mayWork, type WorkContext } from '../base/context.js';

const MOST = 1_000;
/** As many are named in the log; the audit explains every one. */
const NAMED = 20;
const GRACE_MS = 60_000;

/**
 * Compares what is owed with what is being done about it, at start and periodically. It finds and never repairs: a
 * request with a deposit that nothing works on is a bug, and an operator hears of it (G2).
 */
export async function reconcile(context: WorkContext): Promise<void> {
  const lanes = [...context.chains.values()].flatMap(({ facts, lanes }) =>
    lanes.map(({ signer }) => ({ chainId: facts.id, signer })),
  );
  const found = await context.store.stuck(context.clock.now() - GRACE_MS, lanes, MOST);
  if (!mayWork(context)) return;
  for (const requestId of found.slice(0, NAMED)) context.log.error({ requestId }, 'request is stuck');
  const stuck = found.length;
  context.metrics.gauge('stuck_requests', 'Requests with value that nothing works on', stuck);
  if (stuck > 0) context.alerts.raise('stuck', `${stuck} requests hold value that nothing works on`, { stuck });
  else context.alerts.clear('stuck');
}
