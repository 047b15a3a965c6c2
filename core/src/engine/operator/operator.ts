import type { Store } from '../../contract/store.js';
import { type EngineContext, type WorkContext, workContext } from '../base/context.js';
import type { Refusal } from './outcomes.js';

/**
 * Operator commands run in any process, unfenced: each change set version-checks its rows and is decided again on
 * conflict.
 */
export function operatorContext(context: EngineContext, store: Pick<Store, 'apply'>): WorkContext {
  return workContext(context, {
    scope: 'operator',
    ended: context.stopping,
    held: () => true,
    apply: (set) => store.apply(set),
  });
}

export function refused(code: Refusal['code'], message: string): Refusal {
  return { ok: false, code, message };
}
