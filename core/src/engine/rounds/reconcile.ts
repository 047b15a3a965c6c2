import { mayWork, type WorkContext } from '../base/context.js';

const MAX_STUCK_ROWS = 1_000;
/** The audit explains all. */
const MAX_LOGGED_REQUESTS = 20;
const GRACE_MS = 60_000;

/**
 * Compares debts with the work on them, without repairs. A request with a deposit that nothing works on is a bug
 * (G2).
 */
export async function reconcile(context: WorkContext): Promise<void> {
  const lanes = [...context.chains.values()].flatMap(({ facts, lanes }) =>
    lanes.map(({ signer }) => ({ chainId: facts.id, signer })),
  );
  const found = await context.store.stuck(context.clock.now() - GRACE_MS, lanes, MAX_STUCK_ROWS);
  if (!mayWork(context)) return;
  for (const requestId of found.slice(0, MAX_LOGGED_REQUESTS)) context.log.error({ requestId }, 'request is stuck');
  const stuck = found.length;
  context.metrics.gauge('stuck_requests', 'Requests with value that nothing works on', stuck);
  if (stuck > 0) context.alerts.raise('stuck', `${stuck} requests hold value that nothing works on`, { stuck });
  else context.alerts.clear('stuck');
}
