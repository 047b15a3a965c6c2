import type { Clock } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { VersionedTransaction } from '@solana/web3.js';

/** Many messages share a blockhash, which is queried once. */
const BELIEVED_MS = 1_000;

/** Valid blockhashes. Only separates an accepted send from a doubtful one; proves nothing. */
export class Blockhashes {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #valid = new WeakMap<Provider['rpc'], { readonly blockhash: string; readonly at: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * True where the provider does not say.
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
