import type { Alerts, Logger } from '../../contract/observability.js';
import { DatabaseWentBackError, type Store } from '../../contract/store.js';

const REPORTING: ReadonlySet<PropertyKey> = new Set<keyof Store>(['apply', 'claimLeases']);

/**
 * Calls `report` before a call rejects because the database lost commits: the first call that notices ends all work.
 */
export function heeding(store: Store, report: (error: DatabaseWentBackError) => void): Store {
  const heed = (error: unknown) => {
    if (error instanceof DatabaseWentBackError) report(error);
  };
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      if (!REPORTING.has(property)) return value.bind(target);
      return (...args: readonly unknown[]) => {
        const answer = value.apply(target, args) as Promise<unknown>;
        // Attached before any handler of the caller.
        answer.catch(heed);
        return answer;
      };
    },
  });
}

/** Ends all work once the database lost commits: no conclusion from it is reliable. */
export class WentBack {
  readonly #deps: { readonly log: Logger; readonly alerts: Alerts };
  readonly #end: () => void;
  #reported = false;

  /** @param end stops the work; called once. */
  constructor(deps: { readonly log: Logger; readonly alerts: Alerts }, end: () => void) {
    this.#deps = deps;
    this.#end = end;
  }

  report(error: DatabaseWentBackError): void {
    if (this.#reported) return;
    this.#reported = true;
    this.#end();
    const { log, alerts } = this.#deps;
    log.error(
      { err: error },
      'the database lost commits: nothing is signed or sent any more, and this process must end',
    );
    alerts.raise('database-went-back', 'The database lost commits: this process does no work and must be restarted');
  }
}
