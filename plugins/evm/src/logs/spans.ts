import type { Provider } from '@causeway/core/rpc';

/** Logs of one answer that are too many to ask for as many again. */
const PLENTY = 4_000;
/** Whole answers in a row after which more is tried. */
const RUN = 8;

interface Span {
  readonly blocks: number;
  /** Whole answers since it was changed. */
  readonly run: number;
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
    this.#spans.set(provider, { blocks: Math.max(1, Math.floor(blocks / 2)), run: 0 });
  }

  served(provider: Provider, blocks: number, logs: number): void {
    if (logs > PLENTY) return this.refused(provider, blocks);
    const span = this.#span(provider);
    if (blocks < span.blocks || span.blocks === this.#most) return;
    const grown = { blocks: Math.min(this.#most, span.blocks * 2), run: 0 };
    this.#spans.set(provider, span.run + 1 < RUN ? { ...span, run: span.run + 1 } : grown);
  }

  #span(provider: Provider): Span {
    return this.#spans.get(provider) ?? { blocks: this.#most, run: 0 };
  }
}
