export interface PgOptions {
  /** Key reference (`env:NAME` or `file:PATH`) or the URL itself. */
  readonly url: string;
  readonly schema: string;
  readonly pool: {
    readonly writers: number;
    readonly readers: number;
  };
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly hints: boolean;
  readonly synchronousStandby: boolean;
}
