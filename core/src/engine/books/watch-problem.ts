import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import { cutText } from '../../domain/cut-text.js';
import type { EngineContext, WorkContext } from '../base/context.js';
import { putMeta } from '../base/put-meta.js';
import { UnitOfWork } from '../base/unit-of-work.js';

const MAX_WORDS_CHARACTERS = 300;

/**
 * What keeps the watcher of a chain from reading it, for other processes. They cannot see it: their own providers may
 * answer, and the durable cursor passes deposit addresses that are not read.
 */
export class WatchProblem {
  readonly #chain: ChainAdapter;
  #isWritten: boolean | undefined;

  constructor(chain: ChainAdapter) {
    this.#chain = chain;
  }

  /** Writes when the problem begins or ends, and at first, because the watcher before may have left one. */
  async report(context: WorkContext): Promise<void> {
    const { healthy, reason } = this.#chain.status();
    if (this.#isWritten === !healthy) return;
    const words = healthy ? '' : cutText(reason ?? 'it cannot be read', MAX_WORDS_CHARACTERS);
    const key = keyOf(this.#chain.facts.id);
    const unit = new UnitOfWork();
    let isNew = false;
    await putMeta(context, unit, key, (before = '') => {
      isNew = before !== words;
      return words;
    });
    if (isNew && !(await context.tenure.apply(unit.toChangeSet('engine.watchProblem'))).ok) return;
    this.#isWritten = !healthy;
  }
}

/** Of chains that this process does not watch. */
export async function readProblems({ chains, followed, store }: EngineContext): Promise<ReadonlyMap<ChainId, string>> {
  const others = [...chains.keys()].filter((chainId) => !followed.has(chainId));
  const rows = await Promise.all(others.map((chainId) => store.meta(keyOf(chainId))));
  return new Map(others.flatMap((chainId, n) => (rows[n]?.value ? [[chainId, rows[n].value] as const] : [])));
}

function keyOf(chainId: ChainId): string {
  return `watch-problem/${chainId}`;
}
