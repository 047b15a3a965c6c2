import type { RequestId } from '../../contract/ids.js';
import { isSettled } from '../../domain/request-status.js';
import type { EngineContext } from '../base/context.js';
import { explain, isOpen } from './explain.js';

/** Why a request is not settled, in words for operators; null: it is, or there is none. */
export async function waitsFor(context: EngineContext, id: RequestId): Promise<string | null> {
  const [view] = await context.store.views([id]);
  if (view === undefined) return null;
  if (isSettled(view.request.status) && !view.legs.some(isOpen)) return null;
  const lanes = await context.store.lanes();
  return explain(context, view, new Set(lanes.flatMap((lane) => (lane.halted === null ? [] : [lane.id]))));
}
