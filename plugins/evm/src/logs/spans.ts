import type { Provider } from '@causeway/core/rpc';

/** Logs of one answer that are too many to ask for as many again. */
const PLENTY = 4_000;
/** Whole answers in a row after which more is tried; doubled each time that more is refused again. */
const FIRST_RUN = 8;
const LAST_RUN = 64;

interface Span {
  readonly blocks: number;
  /** Whole answers since it was changed. */
  readonly run: number;
  /** Whole answers until more is tried. */
  readonly needed: number;
  /** More was tried than was refused before. */
  readonly grown: boolean;
}

/**
 * How many blocks each provider was found to answer a log query for: less after each refusal, and more again after a while.
 * Many logs make it less, too, so that what is held at once stays bounded where a provider caps nothing.
 */
export class Spans {
  readonly #most: number;
  readonly #spans = new WeakMap<Provider, Span>();

  constructor(most: number) {
    this.#most = most;
  }

  of(provider: Provider): number {
    return this.#span(provider).blocks;
  }

  refused(provider: Provider, blocks: number): void {
    const { grown, needed } = this.#span(provider);
    const next = grown ? Math.min(needed * 2, LAST_RUN) : needed;
    this.#spans.set(provider, { blocks: Math.max(1, Math.floor(blocks / 2)), run: 0, needed: next, grown: false });
  }

  served(provider: Provider, blocks: number, logs: number): void {
    if (logs > PLENTY) return this.refused(provider, blocks);
    const before = this.#span(provider);
    if (blocks < before.blocks || before.blocks === this.#most) return;
    const needed = before.grown ? FIRST_RUN : before.needed;
    const run = before.run + 1;
    const more = { blocks: Math.min(this.#most, before.blocks * 2), run: 0, needed, grown: true };
    this.#spans.set(provider, run < needed ? { blocks: before.blocks, run, needed, grown: false } : more);
  }

  #span(provider: Provider): Span {
    return this.#spans.get(provider) ?? { blocks: this.#most, run: 0, needed: FIRST_RUN, grown: false };
  }
}
