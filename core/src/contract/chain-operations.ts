import type { ProbeResult } from './probes.js';
import type { SetUpItem, SetUpOptions } from './set-up.js';

/** What operators ask of a chain whose plugin was not started. */
export interface ChainOperations {
  /**
   * For `doctor`, which never starts the plugin: asks every provider and contract directly (reachable, chain id,
   * contracts have code, signers funded) and reports all findings. Never throws; ends when `signal` aborts.
   */
  probe?(signal: AbortSignal): Promise<readonly ProbeResult[]>;
  /**
   * For `setup`, which never starts the plugin either: what the configured chain must have on itself before anything is paid
   * there, and what makes it cheaper; each first told as it was found, then made, one after the other, unless only asked
   * about. Absent where a chain needs nothing.
   *
   * Invariant: setting up is idempotent, also beside a running service and after an interrupted run: an item that exists is
   * left as it is, no money that is owed is spent, and nothing is signed again before it is proven that the transaction signed
   * before cannot land. Rejects only on infrastructure failure; releases everything when the iteration ends.
   */
  setUp?(options: SetUpOptions): AsyncIterable<SetUpItem>;
}
