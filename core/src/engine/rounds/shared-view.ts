import type { ChainId } from '../../contract/ids.js';
import type { EngineContext } from '../base/context.js';
import { loadPauses } from '../base/pauses.js';
import { FreeSpace } from '../books/free-space.js';
import { InventoryView } from '../books/inventory.js';
import { readProblems } from '../books/watch-problem.js';
import type { Comparisons } from '../recovery/index.js';
import type { ChainHealth } from './chain-health.js';

/**
 * A process's view of all processes' work, reread periodically. Quoting uses it whether or not this process holds
 * leases.
 */
export class SharedView {
  readonly inventory = new InventoryView();
  readonly space = new FreeSpace();
  readonly #versions = new Map<ChainId, number>();
  readonly #context: EngineContext;
  readonly #comparisons: Comparisons;
  readonly #health: ChainHealth;
  readonly #recorded = new Map<ChainId, number>();

  constructor(context: EngineContext, comparisons: Comparisons, health: ChainHealth) {
    this.#context = context;
    this.#health = health;
    this.#comparisons = comparisons;
  }

  async refresh(): Promise<void> {
    const [problems] = await Promise.all([
      readProblems(this.#context),
      loadPauses(this.#context),
      this.inventory.refresh(this.#context),
      this.#readCursors(),
      this.#comparisons.refresh(),
      this.space.refresh(this.#context),
    ]);
    this.#health.judge((chainId) => ({ height: this.#recorded.get(chainId), problem: problems.get(chainId) }));
  }

  /** A deposit before the first durable cursor would never be seen. */
  watched(chainId: ChainId): boolean {
    return this.#versions.has(chainId);
  }

  /** A local watcher is never behind the row. */
  async #readCursors(): Promise<void> {
    const { chains, clock, store, times } = this.#context;
    const rows = await Promise.all([...chains.keys()].map((id) => store.cursor(id)));
    for (const row of rows) {
      if (!row || this.#versions.get(row.chainId) === row.version) continue;
      this.#versions.set(row.chainId, row.version);
      const { headHeight: height, headTime, finalHeight, finalTime } = row;
      this.#recorded.set(row.chainId, height);
      const known = times.get(row.chainId);
      if (known && known.headTime >= headTime && known.height >= height) continue;
      times.set(row.chainId, { height, headTime, finalHeight, finalTime, seenAt: clock.monotonic() });
    }
  }
}
