import type { RequestView } from '../contract/store.js';
import type { LegRow } from '../contract/store-rows.js';
import { type EngineContext, mayWork, type WorkContext } from './context.js';

const PAGE = 200;
const GRACE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A refund that got stuck behind a failure is found while it is younger than this; the audit finds every one. */
const FAILURES_MS = 7 * DAY_MS;

/**
 * Compares what is owed with what is being done about it, at start and periodically. It finds and never repairs: a
 * request with a deposit that nothing works on is a bug, and an operator hears of it (G2).
 */
export async function reconcile(context: WorkContext): Promise<void> {
  let stuck = 0;
  for await (const view of suspects(context)) if (isStuck(context, view)) stuck += 1;
  context.metrics.gauge('stuck_requests', 'Requests with value that nothing works on', stuck);
  if (stuck > 0) context.alerts.raise('stuck', `${stuck} requests hold value that nothing works on`, { stuck });
  else context.alerts.clear('stuck');
}

/** All that is not settled, and what failed lately: a failure may still owe a refund. */
async function* suspects(context: WorkContext): AsyncGenerator<RequestView> {
  let after: `0x${string}` | undefined;
  while (mayWork(context)) {
    const rows = await context.store.unsettled(PAGE, after);
    if (rows.length > 0) yield* await context.store.views(rows.map((row) => row.id));
    after = rows.at(-1)?.id;
    if (rows.length < PAGE) break;
  }
  const filter = {
    all: [
      { kind: 'is', field: 'status', values: ['failure'] },
      { kind: 'range', field: 'createdAt', from: context.clock.now() - FAILURES_MS },
    ],
    hiddenChains: [...context.chains.keys()],
  } as const;
  const search = { filter, sortBy: 'createdAt' as const, direction: 'desc' as const, limit: PAGE, total: false };
  let page = await context.store.search(search);
  while (mayWork(context)) {
    yield* page.rows;
    if (!page.next) return;
    page = await context.store.search({ ...search, after: page.next });
  }
}

/** Exported for tests. */
export function isStuck(context: EngineContext, view: RequestView): boolean {
  const { request, deposits, legs } = view;
  if (context.clock.now() - request.updatedAt < GRACE_MS) return false;
  const waiting = deposits.some((deposit) => deposit.decision === 'waiting' && deposit.state !== 'vanished');
  const final = new Set(deposits.filter((deposit) => deposit.state === 'final').map((one) => one.fundingKey));
  const moves = (leg: LegRow): boolean =>
    isConfigured(context, leg) &&
    (['short', 'owed', 'bound'].includes(leg.state) ||
      (leg.state === 'blocked' && leg.fundingKey !== null && !final.has(leg.fundingKey)));
  const owed = legs.filter((leg) => ['short', 'owed', 'bound', 'blocked'].includes(leg.state));
  const stuck = request.status === 'failure' ? owed.some((leg) => !moves(leg)) : !waiting && !owed.some(moves);
  if (stuck) context.log.error({ requestId: request.id, status: request.status }, 'request is stuck');
  return stuck;
}

/** Nothing moves a leg whose chain or signer left the config. */
function isConfigured(context: EngineContext, leg: LegRow): boolean {
  return context.chains.get(leg.chainId)?.lanes.some(({ signer }) => signer === leg.signer) ?? false;
}
