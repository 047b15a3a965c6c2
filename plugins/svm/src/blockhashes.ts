import type { Clock } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { VersionedTransaction } from '@solana/web3.js';

/** What many messages carry is asked for once, not for each of them. */
const BELIEVED_MS = 1_000;

/** Which blockhashes providers would include. It only tells a send from a doubtful one: nothing is proven by it. */
export class Blockhashes {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #valid = new WeakMap<Provider['rpc'], { readonly blockhash: string; readonly at: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Whether the provider would still include what carries this blockhash; true where it does not say.
   *
   * @param bytes a signed transaction, base64.
   */
  async isValid({ rpc }: Provider, bytes: string): Promise<boolean> {
    try {
      const { recentBlockhash } = VersionedTransaction.deserialize(Buffer.from(bytes, 'base64')).message;
      const last = this.#valid.get(rpc);
      if (last?.blockhash === recentBlockhash && this.#clock.monotonic() - last.at < BELIEVED_MS) return true;
      const params = [recentBlockhash, { commitment: 'processed' }];
      const { value } = await rpc.request<{ readonly value: boolean }>('isBlockhashValid', params);
      if (value) this.#valid.set(rpc, { blockhash: recentBlockhash, at: this.#clock.monotonic() });
      return value;
    } catch {
      return true;
    }
  }
}
