import type { ChainId } from '../../contract/ids.js';
import type { EngineContext, WorkContext } from '../base/context.js';
import { laneId } from '../base/lanes.js';
import { putMeta } from '../base/put-meta.js';
import type { UnitOfWork } from '../base/unit-of-work.js';

/**
 * Lanes compared with their chains since this process started, by any process.
 *
 * Invariant (G15): a database may be restored before a process starts, never while it works: the store then refuses
 * every write (DatabaseWentBackError). So a mark that changed since the start is from a later comparison, whose halt,
 * if any, is in the same change set. A mark from before the start proves nothing.
 */
export class Comparisons {
  readonly #context: EngineContext;
  readonly #atStart = new Map<string, string | undefined>();
  readonly #compared = new Set<string>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Before this process claims a lease or decides anything. */
  async begin(): Promise<void> {
    for (const lane of this.#lanes()) {
      if (!this.#atStart.has(lane)) this.#atStart.set(lane, await this.#mark(lane));
    }
  }

  /** Rereads only lanes that were not compared yet. */
  async refresh(): Promise<void> {
    const waiting = this.#lanes().filter((lane) => this.#atStart.has(lane) && !this.#compared.has(lane));
    await Promise.all(
      waiting.map(async (lane) => {
        if (/* guard: comparison-of-this-start */ (await this.#mark(lane)) !== this.#atStart.get(lane))
          this.#compared.add(lane);
      }),
    );
  }

  /** Ask before reading lanes, so that a comparison's halt is seen. */
  of(chainId: ChainId): boolean {
    const lanes = this.#context.chains.get(chainId)?.lanes ?? [];
    return lanes.every(({ signer }) => this.#compared.has(laneId(chainId, signer)));
  }

  #lanes(): string[] {
    return [...this.#context.chains.values()].flatMap(({ facts, lanes }) =>
      lanes.map(({ signer }) => laneId(facts.id, signer)),
    );
  }

  async #mark(lane: string): Promise<string | undefined> {
    return (await this.#context.store.meta(keyOf(lane)))?.value;
  }
}

/** In the change set of the comparison's result. */
export async function noteCompared(context: WorkContext, unit: UnitOfWork, lane: string): Promise<void> {
  await putMeta(context, unit, keyOf(lane), (before) => String(Number(before ?? 0) + 1));
}

function keyOf(lane: string): string {
  return `compared:${lane}`;
}
