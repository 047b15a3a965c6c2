import type { ProxiedTuning, ProxiedWorld } from '../proxied-world.js';
import type { Ledger } from './history.js';

export interface Place {
  open(tuning: ProxiedTuning): Promise<Opened>;
}

export interface Opened {
  readonly opened: ProxiedWorld;
  /** Runs a task on the ledger while the service is stopped. */
  work<T>(task: (ledger: Ledger) => Promise<T>): Promise<T>;
  /** Size of all data. */
  bytes(): Promise<number>;
  /** Bytes of the write-ahead log. */
  log(): Promise<number>;
  close(): Promise<void>;
}
