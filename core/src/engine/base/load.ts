import type { RequestId } from '../../contract/ids.js';
import { featureBit } from '../../domain/features.js';
import type { EngineContext } from './context.js';
import type { UnitOfWork } from './unit-of-work.js';

const FIXED_RATE = featureBit('fixed_rate');

/** Requests with related rows except transaction descriptions, and further deposits. */
export async function loadViews(
  context: EngineContext,
  unit: UnitOfWork,
  requestIds: readonly RequestId[],
  fundingKeys: readonly string[] = [],
): Promise<void> {
  const ids = [...new Set(requestIds)];
  const [views, deposits] = await Promise.all([
    ids.length > 0 ? context.store.views(ids) : [],
    fundingKeys.length > 0 ? context.store.deposits([...new Set(fundingKeys)]) : [],
  ]);
  for (const view of views) {
    unit.load('requests', view.request);
    for (const row of view.deposits) unit.load('deposits', row);
    for (const row of view.legs) unit.load('legs', row);
    for (const row of view.transactions) unit.load('transactions', { ...row, entry: null });
  }
  await loadEarmarks(
    context,
    unit,
    views.filter(({ request }) => (request.features & FIXED_RATE) !== 0).map(({ request }) => request.id),
  );
  for (const row of deposits) unit.load('deposits', row);
}

export async function loadEarmarks(
  { store }: Pick<EngineContext, 'store'>,
  unit: UnitOfWork,
  ids: readonly RequestId[],
): Promise<void> {
  if (ids.length === 0) return;
  for (const row of await store.earmarks(ids)) unit.load('earmarks', row);
}
