import type { Store } from '../../contract/store.js';
import { type EngineContext, type WorkContext, workContext } from '../base/context.js';
import type { Refusal } from './outcomes.js';

/**
 * What a command of an operator has. It may run in any process, beside the holder of the leases, so it has no fence: every row
 * that it relies on is version-checked in its change set, and it decides again when another process wrote one of them.
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
