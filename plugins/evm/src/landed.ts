import type { Provider } from '@causeway/core/rpc';
import type { RpcReceipt } from './rpc/types.js';

/** More than all keys of a chain that wait for finality at a time. */
const MOST = 2_000;

/**
 * Successful receipts in blocks that are not final yet. A key whose transaction landed is looked at with every block until
 * that is final; as long as the receipt's block is canonical, its hash vouches for the receipt.
 *
 * Kept apart for each provider that confirmed the block, and never for a final block: the receipt that proves the end of a key
 * is always read anew.
 */
export class Landed {
  readonly #receipts = new WeakMap<Provider, Map<string, RpcReceipt>>();

  /** The receipt of one of these transactions; undefined where none is known. */
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
    if (known.size > MOST && oldest !== undefined) known.delete(oldest);
  }
}
