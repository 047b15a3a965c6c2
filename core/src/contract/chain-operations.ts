import type { ProbeResult } from './probes.js';
import type { SetUpItem, SetUpOptions } from './set-up.js';

/** Operator queries to a chain whose plugin is not started. */
export interface ChainOperations {
  /**
   * For `doctor`: asks every provider and contract directly (reachable, chain id, contracts have code, signers
   * funded) and reports all findings. Never throws; ends when `signal` aborts.
   */
  probe?(signal: AbortSignal): Promise<readonly ProbeResult[]>;
  /**
   * For `setup`: items that the configured chain must have before payments, or that make them cheaper. Reports each
   * as found, then creates it, sequentially (not in a dry run). Absent: a chain needs nothing.
   *
   * Invariant: setup is idempotent, also alongside a running service and after an interruption: existing items stay
   * as they are, no owed money is spent, and nothing is signed again before the earlier transaction provably cannot
   * land. Rejects only on infrastructure failure; releases all resources when the iteration ends.
   */
  setUp?(options: SetUpOptions): AsyncIterable<SetUpItem>;
}
