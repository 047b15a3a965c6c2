import type { ChainId } from '../../contract/ids.js';
import type { EngineContext, WorkContext } from '../base/context.js';
import { laneId } from '../base/lanes.js';
import { putMeta } from '../base/put-meta.js';
import type { UnitOfWork } from '../base/unit-of-work.js';

/**
 * Which lanes were compared with their chains since this process started, by whichever process holds them.
 *
 * Invariant (G15): a database may have been put back before this process started, never while it works: a store whose
 * database goes back under it refuses every write from then on, and the process ends (DatabaseWentBackError). A mark
 * that changed since the start was therefore written after that, by a comparison whose halt, if any, is in the same
 * change set: who sees the mark and then reads the lane sees the halt. A mark that was already there says nothing. One
 * that changed because an older state is read says nothing either, and no decision that was made on it is written.
 */
export class Comparisons {
  readonly #context: EngineContext;
  readonly #atStart = new Map<string, string | undefined>();
  readonly #compared = new Set<string>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Reads the marks that do not count. Before this process claims a lease or decides anything. */
  async begin(): Promise<void> {
    for (const lane of this.#lanes()) {
      if (!this.#atStart.has(lane)) this.#atStart.set(lane, await this.#mark(lane));
    }
  }

  /** Looks again at lanes that were not compared yet; once they were, nothing is read any more. */
  async refresh(): Promise<void> {
    const waiting = this.#lanes().filter((lane) => this.#atStart.has(lane) && !this.#compared.has(lane));
    await Promise.all(
      waiting.map(async (lane) => {
        if (/* guard: comparison-of-this-start */ (await this.#mark(lane)) !== this.#atStart.get(lane))
          this.#compared.add(lane);
      }),
    );
  }

  /** True once every lane of the chain was compared. Ask before reading lanes, so that a halt by a comparison is seen. */
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

/** Marks a lane as compared, in the change set of what the comparison found. */
export async function noteCompared(context: WorkContext, unit: UnitOfWork, lane: string): Promise<void> {
  await putMeta(context, unit, keyOf(lane), (before) => String(Number(before ?? 0) + 1));
}

function keyOf(lane: string): string {
  return `compared:${lane}`;
}
