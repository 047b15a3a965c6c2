import type { ChainId } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import type { EngineContext } from './context.js';

const SCOPE = /^(all|chain:\d+|route:\d+-\d+)$/;

/** @returns true for `all`, `chain:<id>` and `route:<id>-<id>`. */
export function isPauseScope(scope: string): boolean {
  return SCOPE.test(scope);
}

/** The widest match, or null. */
export function isPaused(
  context: Pick<EngineContext, 'pauses'>,
  origin: ChainId,
  destination: ChainId,
): 'all' | 'chain' | 'route' | null {
  const scope = covering(context, origin, destination);
  if (scope === undefined || scope === 'all') return scope ?? null;
  return scope.startsWith('chain:') ? 'chain' : 'route';
}

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

/** Another process may have changed one. */
export async function loadPauses(context: EngineContext): Promise<void> {
  const rows = await context.store.pauses();
  for (const { scope, paused, reason } of rows) {
    if (paused) context.pauses.set(scope, reason);
    else context.pauses.delete(scope);
  }
}

/**
 * Durable before it takes effect; other processes see it at their next refresh. Idempotent. Needs no lease: guarded
 * by the row's version.
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
  // Without this check, identical concurrent commands would conflict again and again.
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
