export interface ServerPlan {
  readonly file: string;
  readonly websockets: number;
}

export interface ChangePlan {
  readonly type: 'change';
  readonly ids: readonly `0x${string}`[];
  readonly perSecond: number;
  readonly seconds: number;
}

export type ToServer = ChangePlan | { readonly type: 'rss' };

/** One status change: `<request id>:<sequence>`, and the time its commit was known, on the machine-wide clock. */
export type Commit = readonly [event: string, at: number];

export type FromServer =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'rss'; readonly bytes: number }
  | { readonly type: 'changed'; readonly commits: readonly Commit[] };

export const BENCH_KEY = 'bench-api-key-0123456789abcdef';

export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
