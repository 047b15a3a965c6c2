import type { ChainId } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
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
  const scope = covering(context, origin, destination);
  if (scope === undefined || scope === 'all') return scope ?? null;
  return scope.startsWith('chain:') ? 'chain' : 'route';
}

/** The operator's reason for the widest pause that covers a route; null where no reason was given, or nothing is paused. */
export function pauseReason(
  context: Pick<EngineContext, 'pauses'>,
  origin: ChainId,
  destination: ChainId,
): string | null {
  const scope = covering(context, origin, destination);
  return scope === undefined ? null : (context.pauses.get(scope) ?? null);
}

function covering(
  { pauses }: Pick<EngineContext, 'pauses'>,
  origin: ChainId,
  destination: ChainId,
): string | undefined {
  const scopes = ['all', `chain:${origin}`, `chain:${destination}`, `route:${origin}-${destination}`];
  return scopes.find((scope) => pauses.has(scope));
}

/** Reads the switches anew: another process may have thrown one. */
export async function loadPauses(context: EngineContext): Promise<void> {
  const rows = await context.store.pauses();
  for (const { scope, paused, reason } of rows) {
    if (paused) context.pauses.set(scope, reason);
    else context.pauses.delete(scope);
  }
}

/**
 * Durable before it takes effect, here at once and in other processes of the same store when they next look. Repeating
 * it changes nothing. A command of an operator, who needs no lease: the row's version is all it stands on.
 */
export async function setPause(
  store: Pick<Store, 'apply'>,
  context: EngineContext,
  scope: string,
  paused: boolean,
  reason: string | null,
): Promise<void> {
  if (!isPauseScope(scope)) throw new RangeError(`"${scope}" is not a pause scope`);
  const row = (await context.store.pauses()).find((one) => one.scope === scope);
  // Many that say the same at once would otherwise outdo each other's version for long.
  if (row?.paused !== paused || row.reason !== reason) {
    const set = { paused, reason, changedAt: context.clock.now() };
    const outcome = await store.apply({
      name: 'engine.pause',
      changes: row
        ? [{ op: 'update', table: 'pauses', key: { scope }, version: row.version, set }]
        : [{ op: 'insert', table: 'pauses', row: { scope, version: 1, ...set } }],
    });
    if (!outcome.ok) return setPause(store, context, scope, paused, reason);
  }
  if (paused) context.pauses.set(scope, reason);
  else context.pauses.delete(scope);
  context.log.warn({ scope, paused, reason }, paused ? 'paused' : 'resumed');
}
