import type { ChainId } from '../contract/ids.js';
import type { EngineContext } from './context.js';

const SCOPE = /^(all|chain:\d+|route:\d+-\d+)$/;

/** @returns true for `all`, `chain:<id>` and `route:<id>-<id>`. */
export function isPauseScope(scope: string): boolean {
  return SCOPE.test(scope);
}

/** The widest switch that covers a route, or null. */
export function isPaused(
  context: Pick<EngineContext, 'pauses'>,
  origin: ChainId,
  destination: ChainId,
): 'all' | 'chain' | 'route' | null {
  const { pauses } = context;
  if (pauses.has('all')) return 'all';
  if (pauses.has(`chain:${origin}`) || pauses.has(`chain:${destination}`)) return 'chain';
  return pauses.has(`route:${origin}-${destination}`) ? 'route' : null;
}

export async function loadPauses(context: EngineContext): Promise<void> {
  for (const row of await context.store.pauses()) if (row.paused) context.pauses.add(row.scope);
}

/** Durable before it takes effect. Repeating it changes nothing. */
export async function setPause(
  context: EngineContext,
  scope: string,
  paused: boolean,
  reason: string | null,
): Promise<void> {
  if (!isPauseScope(scope)) throw new RangeError(`"${scope}" is not a pause scope`);
  const row = (await context.store.pauses()).find((one) => one.scope === scope);
  const set = { paused, reason, changedAt: context.clock.now() };
  const outcome = await context.store.apply({
    name: 'engine.pause',
    changes: row
      ? [{ op: 'update', table: 'pauses', key: { scope }, version: row.version, set }]
      : [{ op: 'insert', table: 'pauses', row: { scope, version: 1, ...set } }],
  });
  if (!outcome.ok) return setPause(context, scope, paused, reason);
  if (paused) context.pauses.add(scope);
  else context.pauses.delete(scope);
  context.log.warn({ scope, paused, reason }, paused ? 'paused' : 'resumed');
}
