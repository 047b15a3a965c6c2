import type { ProbeResult } from './probes.js';
import type { SetUpItem, SetUpOptions } from './set-up.js';

export interface ChainOperations {
  /**
   * For `doctor`: asks every provider and contract directly and reports all findings. Never throws; ends when
   * `signal` aborts.
   */
  probe?(signal: AbortSignal): Promise<readonly ProbeResult[]>;
  /**
   * For `setup`: items that a chain must have before payments, or that make them cheaper: each reported, then created
   * (not in a dry run), in sequence. Absent: nothing needed.
   *
   * Invariant: idempotent, also alongside a running service and after an interruption: existing items stay, no owed
   * money is spent, and nothing is signed again before the earlier transaction provably cannot land. Rejects only on
   * infrastructure failure; releases all resources when the iteration ends.
   */
  setUp?(options: SetUpOptions): AsyncIterable<SetUpItem>;
}
