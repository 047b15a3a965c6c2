import type { Clock } from '@causeway/core';
import type { Listed } from './page.js';

const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 60_000;
/** With pauses about ten minutes: as long as nodes lack listed transactions. */
const MAX_TRIES = 15;
/** Above this the node is at fault, and only prioritized entries are read. */
const MAX_ON_HOLD = 1_000;

interface Kept {
  readonly entry: Listed;
  readonly tries: number;
  /** Monotonic. */
  readonly due: number;
  readonly why: string;
}

/**
 * Retried with growing pauses while others are read.
 *
 * Invariant: the number of tries is bounded.
 */
export class OnHold {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#kept.size;
  }

  get isFull(): boolean {
    return this.#kept.size >= MAX_ON_HOLD;
  }

  has({ signature, slot }: Listed): boolean {
    return this.#kept.get(signature)?.entry.slot === slot;
  }

  entries(): readonly Listed[] {
    return [...this.#kept.values()].map(({ entry }) => entry);
  }

  failing(): readonly { readonly signature: string; readonly why: string }[] {
    return [...this.#kept.values()]
      .filter(({ tries }) => tries > 1)
      .map(({ entry, why }) => ({ signature: entry.signature, why }));
  }

  due(most: number): readonly Listed[] {
    const now = this.#clock.monotonic();
    return [...this.#kept.values()]
      .filter(({ due }) => due <= now)
      .sort((a, b) => a.entry.slot - b.entry.slot)
      .slice(0, most)
      .map(({ entry }) => entry);
  }

  triesOf({ signature }: Listed): number {
    return this.#kept.get(signature)?.tries ?? 0;
  }

  /** @returns whether that was the last try. */
  failed(entry: Listed, why: string): boolean {
    const tries = this.triesOf(entry) + 1;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LAST_PAUSE_MS);
    this.#kept.set(entry.signature, { entry, tries, due: this.#clock.monotonic() + pause, why });
    return tries >= MAX_TRIES;
  }

  drop({ signature }: Pick<Listed, 'signature'>): void {
    this.#kept.delete(signature);
  }
}
