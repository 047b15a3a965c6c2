import { outpointName } from '../funding-key.js';
import type { Pool } from '../watch/pool.js';
import type { ServiceScripts } from '../watch/scripts.js';
import type { Coin, Spender } from './coin.js';
import { type ConfirmedCoins, coinsOf } from './confirmed.js';

/** What the mempool changes. */
export interface Overlay {
  readonly spentBy: ReadonlyMap<string, Spender>;
  readonly created: readonly Coin[];
}

export function overlay(pool: Pool, scripts: ServiceScripts, confirmed: ConfirmedCoins | undefined): Overlay {
  const spentBy = new Map<string, Spender>();
  const made: Omit<Coin, 'spentInPool'>[] = [];
  for (const { tx } of pool.entries.values()) {
    for (const input of tx.inputs) spentBy.set(outpointName(input), { txid: tx.txid, block: null });
    // The transaction may be confirmed already, and the mempool reader may not know yet.
    for (const coin of coinsOf(tx, scripts)) {
      if (confirmed?.get(coin) === undefined && confirmed?.spender(coin) === undefined)
        made.push({ ...coin, height: null, coinbase: false });
    }
  }
  const created = made.map((coin) => ({ ...coin, spentInPool: spentBy.get(outpointName(coin))?.txid ?? null }));
  return { spentBy, created };
}
