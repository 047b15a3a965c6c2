import type { ProxiedTuning, ProxiedWorld } from '../proxied-world.js';
import type { Ledger } from './history.js';

export interface Place {
  open(tuning: ProxiedTuning): Promise<Opened>;
}

export interface Opened {
  readonly opened: ProxiedWorld;
  work<T>(task: (ledger: Ledger) => Promise<T>): Promise<T>;
  bytes(): Promise<number>;
  log(): Promise<number>;
  close(): Promise<void>;
}
