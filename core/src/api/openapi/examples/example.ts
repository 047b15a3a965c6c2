export interface Example {
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** 200 when absent. */
  readonly status?: number;
  readonly answer: unknown;
}

export type Examples = Readonly<Record<string, Example>>;
