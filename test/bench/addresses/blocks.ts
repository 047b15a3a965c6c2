import { createPublicClient, webSocket } from 'viem';
import type { TestChain } from '../../support/chain.js';

export interface SeenHead {
  readonly number: number;
  /** Milliseconds, `performance.now`. */
  readonly at: number;
}

/** A chain's heads, as a subscriber sees them. */
export class Blocks {
  readonly heads: SeenHead[] = [];
  readonly #listeners = new Set<(head: SeenHead) => void>();
  #stop: () => Promise<void> = async () => undefined;

  static async of(chain: TestChain): Promise<Blocks> {
    const blocks = new Blocks();
    const url = chain.url.replace('http', 'ws');
    const { transport } = createPublicClient({ transport: webSocket(url, { reconnect: false }) });
    await transport.subscribe({
      params: ['newHeads'],
      onData: ({ result }) => blocks.#saw({ number: Number(result.number), at: performance.now() }),
    });
    blocks.#stop = async () => (await transport.getRpcClient()).close();
    return blocks;
  }

  on(listener: (head: SeenHead) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves right after the `count`th head from now. */
  next(count: number): Promise<void> {
    return new Promise((resolve) => {
      let left = count;
      const off = this.on(() => {
        left -= 1;
        if (left > 0) return;
        off();
        resolve();
      });
    });
  }

  /** Of the block's first sight. */
  timeOf(number: number): number | undefined {
    return this.heads.find((head) => head.number === number)?.at;
  }

  close(): Promise<void> {
    return this.#stop();
  }

  #saw(head: SeenHead): void {
    this.heads.push(head);
    for (const listener of this.#listeners) listener(head);
  }
}
