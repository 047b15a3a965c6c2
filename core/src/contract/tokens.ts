export interface Token<T> {
  readonly id: string;
  readonly symbol: symbol;
  /** Phantom: carries the type, never set. */
  readonly type?: T;
}

/** @param id `<owner>.<service>`, e.g. `core.store`. */
export function token<T>(id: string): Token<T> {
  return Object.freeze({ id, symbol: Symbol.for(`causeway:${id}`) });
}
