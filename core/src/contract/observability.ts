/** Structured logger, labelled with the owner's id; values must not contain secrets. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

export type Labels = Readonly<Record<string, string | number>>;

/**
 * The host prefixes names with `causeway_` and the owner's id, and appends `_total` to counters and `_seconds` to
 * durations. A gauge names its unit itself: seconds, USD, whole units of a currency.
 */
export interface Metrics {
  count(name: string, help: string, labels?: Labels, by?: number): void;
  gauge(name: string, help: string, value: number, labels?: Labels): void;
  /** Takes milliseconds, exports seconds. */
  observe(name: string, help: string, ms: number, labels?: Labels): void;
}

/** A condition for operators: raised once, active while it lasts, cleared when it ends. */
export interface Alerts {
  raise(id: string, message: string, fields?: object): void;
  clear(id: string): void;
  list(): readonly { readonly id: string; readonly message: string; readonly since: number }[];
}
