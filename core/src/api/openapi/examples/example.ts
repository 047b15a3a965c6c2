/** One call of an operation and what it was answered. */
export interface Example {
  /** Of the path and the query, by name. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** 200 when absent. */
  readonly status?: number;
  readonly answer: unknown;
}

/** By operation id. */
export type Examples = Readonly<Record<string, Example>>;
