import type { Hex, UnixMs } from './ids.js';

/** The only source of time and timers. Simulation drives it; production wraps the system's. */
export interface Clock {
  /** Wall-clock time. May jump; never used for leases. */
  now(): UnixMs;
  /** Milliseconds of a monotonic clock, for durations and leases. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs `task` every `ms` until the returned function is called. Does not keep the process alive. */
  every(ms: number, task: () => void): () => void;
}

export interface Random {
  bytes(length: number): Uint8Array;
  /** `0x` and `length * 2` hex digits. */
  hex(length: number): Hex;
  /** In [0, 1). Only for jitter. */
  fraction(): number;
}
