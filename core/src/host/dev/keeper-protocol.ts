import type { DevnetProcess } from '../../contract/devnet.js';

export type ToKeeper =
  | { readonly type: 'spawn'; readonly spec: DevnetProcess; readonly logFile: string }
  /** The service to wait for before chains end; null when none runs. */
  | { readonly type: 'service'; readonly pid: number | null };

export type FromKeeper =
  | { readonly type: 'spawned'; readonly name: string; readonly pid: number }
  | { readonly type: 'failed'; readonly name: string; readonly message: string }
  | { readonly type: 'exited'; readonly name: string; readonly code: number | null; readonly signal: string | null };
