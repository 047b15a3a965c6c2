import { isTransportError, RpcError } from './errors.js';

const ANSWERS_BEFORE_GROWTH = 32;

interface Portion {
  readonly most: number;
  readonly run: number;
}

/** Entries per request that each provider answers: a quarter after a refusal, down to one, and slowly more again. */
export class Portions {
  readonly #most: number;
  readonly #portions = new WeakMap<object, Portion>();

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * @param ask requests the given number of entries.
   * @param isOther an error that a smaller question would meet as well.
   * @throws the error of a single entry, or one that `isOther`.
   */
  async ask<T>(
    client: object,
    most: number,
    ask: (most: number) => Promise<T>,
    isOther: (error: RpcError) => boolean = () => false,
  ): Promise<T> {
    const portion = this.#portions.get(client) ?? { most: this.#most, run: 0 };
    const first = Math.min(most, portion.most);
    for (let asked = first; ; asked = Math.max(1, asked >> 2)) {
      try {
        const answer = await ask(asked);
        if (asked < first) this.#portions.set(client, { most: asked, run: 0 });
        else if (asked === portion.most) this.#grow(client, portion);
        return answer;
      } catch (error) {
        const isRefusal = error instanceof RpcError ? !isOther(error) : isOversized(error);
        if (asked === 1 || !isRefusal) throw error;
      }
    }
  }

  #grow(client: object, { most, run }: Portion): void {
    if (most === this.#most) return;
    const grown = { most: Math.min(this.#most, most * 2), run: 0 };
    this.#portions.set(client, run + 1 < ANSWERS_BEFORE_GROWTH ? { most, run: run + 1 } : grown);
  }
}

function isOversized(error: unknown): boolean {
  return isTransportError(error) && (error.failure === 'tooLarge' || error.failure === 'http');
}
