import type { Alerts, Logger } from '../../contract/observability.js';
import { DatabaseWentBackError, type Store } from '../../contract/store.js';

/** The calls by which a store tells that its database went back. */
const TELLING: ReadonlySet<PropertyKey> = new Set<keyof Store>(['apply', 'claimLeases']);

/**
 * The same store, which calls `tell` before it rejects because the database went back. So the work of the whole process ends
 * with the first call that notices, be it a heartbeat, a change set of a lane or a quote.
 */
export function heeding(store: Store, tell: (error: DatabaseWentBackError) => void): Store {
  const heed = (error: unknown) => {
    if (error instanceof DatabaseWentBackError) tell(error);
  };
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      if (!TELLING.has(property)) return value.bind(target);
      return (...args: readonly unknown[]) => {
        const answer = value.apply(target, args) as Promise<unknown>;
        // Heard before any other handler of the same promise, which the caller can attach only now.
        answer.catch(heed);
        return answer;
      };
    },
  });
}

/** The end of a process's work, once: everything it concluded from the database may be wrong. */
export class WentBack {
  readonly #deps: { readonly log: Logger; readonly alerts: Alerts };
  readonly #end: () => void;
  #told = false;

  /** @param end stops the work; called once. */
  constructor(deps: { readonly log: Logger; readonly alerts: Alerts }, end: () => void) {
    this.#deps = deps;
    this.#end = end;
  }

  tell(error: DatabaseWentBackError): void {
    if (this.#told) return;
    this.#told = true;
    this.#end();
    const { log, alerts } = this.#deps;
    log.error({ err: error }, 'the database went back: nothing is signed or sent any more, and this process must end');
    alerts.raise('database-went-back', 'The database lost commits: this process does no work and must start anew');
  }
}
