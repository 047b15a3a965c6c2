import type { ProxiedTuning, ProxiedWorld } from '../proxied-world.js';
import type { Ledger } from './history.js';

/** Where the ledger of a service is kept. */
export interface Place {
  open(tuning: ProxiedTuning): Promise<Opened>;
}

export interface Opened {
  readonly opened: ProxiedWorld;
  /** Works on the ledger while the service does not run. */
  work<T>(task: (ledger: Ledger) => Promise<T>): Promise<T>;
  /** Bytes of all that is kept. */
  bytes(): Promise<number>;
  /** Bytes of the write-ahead log. */
  log(): Promise<number>;
  close(): Promise<void>;
}
