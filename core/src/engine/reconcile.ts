import type { RequestView } from '../contract/store.js';
import { type EngineContext, mayWork, type WorkContext } from './context.js';

const PAGE = 200;
const GRACE_MS = 60_000;

/**
 * Compares what is owed with what is being done about it, at start and periodically. It finds and never repairs: a
 * request with a deposit that nothing works on is a bug, and an operator hears of it (G2).
 */
export async function reconcile(context: WorkContext): Promise<void> {
  let after: `0x${string}` | undefined;
  let stuck = 0;
  for (;;) {
    const rows = await context.store.unsettled(PAGE, after);
    const views = rows.length > 0 ? await context.store.views(rows.map((row) => row.id)) : [];
    for (const view of views) if (isStuck(context, view)) stuck += 1;
    after = rows.at(-1)?.id;
    if (rows.length < PAGE || !mayWork(context)) break;
  }
  context.metrics.gauge('stuck_requests', 'Requests with value that nothing works on', stuck);
  if (stuck > 0) context.alerts.raise('stuck', `${stuck} requests hold value that nothing works on`, { stuck });
  else context.alerts.clear('stuck');
}

function isStuck(context: EngineContext, view: RequestView): boolean {
  if (context.clock.now() - view.request.updatedAt < GRACE_MS) return false;
  const waiting = view.deposits.some((deposit) => deposit.decision === 'waiting' && deposit.state !== 'vanished');
  const final = new Set(view.deposits.filter((deposit) => deposit.state === 'final').map((one) => one.fundingKey));
  const working = view.legs.some(
    (leg) =>
      ['short', 'owed', 'bound'].includes(leg.state) ||
      (leg.state === 'blocked' && leg.fundingKey !== null && !final.has(leg.fundingKey)),
  );
  const stuck = !waiting && !working;
  if (stuck) context.log.error({ requestId: view.request.id, status: view.request.status }, 'request is stuck');
  return stuck;
}
