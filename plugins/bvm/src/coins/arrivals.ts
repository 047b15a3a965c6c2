import { type Outpoint, outpointName } from '../funding-key.js';
import type { ConfirmedCoin } from './scan.js';

/**
 * Outputs at deposit addresses that a search found and the ledger does not know. Each is left out of the depository's
 * balance until the watcher has reported it: unbooked money would hide missing money.
 */
export class Arrivals {
  readonly #open = new Map<string, ConfirmedCoin>();
  readonly #listeners = new Set<() => void>();

  get size(): number {
    return this.#open.size;
  }

  /** @param name as `outpointName`. */
  has(name: string): boolean {
    return this.#open.has(name);
  }

  add(coins: readonly ConfirmedCoin[]): void {
    for (const coin of coins) this.#open.set(outpointName(coin), coin);
    if (coins.length > 0) for (const listener of [...this.#listeners]) listener();
  }

  /** Outputs in blocks up to a height. */
  upTo(height: number, most: number): readonly ConfirmedCoin[] {
    const found: ConfirmedCoin[] = [];
    for (const coin of this.#open.values()) {
      if (found.length === most) break;
      if (coin.height <= height) found.push(coin);
    }
    return found;
  }

  /** These outputs were reported, recorded before, or spent. */
  settle(outpoints: readonly Outpoint[]): void {
    for (const outpoint of outpoints) this.#open.delete(outpointName(outpoint));
  }

  /** Returns the unsubscribe function. */
  onAdded(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
