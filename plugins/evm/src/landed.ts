import type { Provider } from '@causeway/core/rpc';
import type { RpcReceipt } from './rpc/types.js';

const MAX_REMEMBERED_KEYS = 2_000;

/**
 * Successful receipts in blocks that are not final yet: while the block is canonical, its hash vouches for the
 * receipt.
 *
 * Cached per provider, and never for a final block: the receipt that proves a key's final state is always read again.
 */
export class Landed {
  readonly #receipts = new WeakMap<Provider, Map<string, RpcReceipt>>();

  of(provider: Provider, hashes: readonly string[]): RpcReceipt | undefined {
    const known = this.#receipts.get(provider);
    for (const hash of hashes) {
      const receipt = known?.get(hash.toLowerCase());
      if (receipt !== undefined) return receipt;
    }
    return undefined;
  }

  keep(provider: Provider, receipt: RpcReceipt): void {
    const known = this.#receipts.get(provider) ?? new Map<string, RpcReceipt>();
    this.#receipts.set(provider, known);
    const hash = receipt.transactionHash.toLowerCase();
    if (known.get(hash) === receipt) return;
    known.delete(hash);
    known.set(hash, receipt);
    const [oldest] = known.keys();
    if (known.size > MAX_REMEMBERED_KEYS && oldest !== undefined) known.delete(oldest);
  }
}
