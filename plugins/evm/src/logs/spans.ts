import type { Provider } from '@causeway/core/rpc';

/** With this many logs per response the range does not grow. */
const MAX_LOGS_PER_ANSWER = 4_000;
/** Complete responses in a row before the range grows; doubled when the larger range is refused again. */
const FIRST_STREAK = 8;
const MAX_STREAK = 64;

interface Span {
  readonly blocks: number;
  readonly run: number;
  readonly needed: number;
  readonly grown: boolean;
}

/**
 * Blocks per log query for each provider: fewer after each refusal, more again after a number of answers. Many logs
 * also shrink the range, to bound memory if a provider caps nothing.
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
    const next = grown ? Math.min(needed * 2, MAX_STREAK) : needed;
    this.#spans.set(provider, { blocks: Math.max(1, Math.floor(blocks / 2)), run: 0, needed: next, grown: false });
  }

  served(provider: Provider, blocks: number, logs: number): void {
    if (logs > MAX_LOGS_PER_ANSWER) return this.refused(provider, blocks);
    const before = this.#span(provider);
    if (blocks < before.blocks || before.blocks === this.#most) return;
    const needed = before.grown ? FIRST_STREAK : before.needed;
    const run = before.run + 1;
    const more = { blocks: Math.min(this.#most, before.blocks * 2), run: 0, needed, grown: true };
    this.#spans.set(provider, run < needed ? { blocks: before.blocks, run, needed, grown: false } : more);
  }

  #span(provider: Provider): Span {
    return this.#spans.get(provider) ?? { blocks: this.#most, run: 0, needed: FIRST_STREAK, grown: false };
  }
}
