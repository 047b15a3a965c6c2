import { type Outpoint, outpointName } from '../funding-key.js';
import { outpointText } from '../raw/block.js';
import { isCoinbase, type RawTransaction } from '../raw/transaction.js';
import type { Mark } from '../watch/cursor.js';
import type { ServiceScripts } from '../watch/scripts.js';
import type { Spender } from './coin.js';
import type { ConfirmedCoin, Scan } from './scan.js';

interface Applied {
  readonly mark: Mark;
  readonly created: ConfirmedCoin[];
  readonly spent: readonly { readonly coin: ConfirmedCoin; readonly by: string }[];
}

/**
 * Unspent own outputs at one block, with bounded undo.
 *
 * Invariant: exact at `tip`, provided that the start was exact and every later block was applied with all relevant
 * transactions.
 */
export class ConfirmedCoins {
  readonly #coins = new Map<string, ConfirmedCoin>();
  /** By `outpointText`. */
  readonly #outpoints = new Set<string>();
  readonly #spenders = new Map<string, Spender>();
  readonly #applied: Applied[] = [];
  readonly #most: number;
  #base: Mark;

  /** @param most blocks that can be undone. */
  constructor({ at, coins }: Scan, most: number) {
    this.#base = at;
    this.#most = most;
    for (const coin of coins) this.#add(coin);
  }

  get tip(): Mark {
    return this.#applied[this.#applied.length - 1]?.mark ?? this.#base;
  }

  /** The oldest reachable block. */
  get base(): Mark {
    return this.#base;
  }

  /** Newest first. */
  reachable(): readonly Mark[] {
    return [...this.#applied.map(({ mark }) => mark).reverse(), this.#base];
  }

  all(): Iterable<ConfirmedCoin> {
    return this.#coins.values();
  }

  get(outpoint: Outpoint): ConfirmedCoin | undefined {
    return this.#coins.get(outpointName(outpoint));
  }

  spender(outpoint: Outpoint): Spender | undefined {
    return this.#spenders.get(outpointName(outpoint));
  }

  has(outpoint: string): boolean {
    return this.#outpoints.has(outpoint);
  }

  /** @param found all relevant transactions, in block order. */
  apply(mark: Mark, found: readonly RawTransaction[], scripts: ServiceScripts): void {
    if (mark.height !== this.tip.height + 1) throw new Error(`block ${mark.height} does not follow ${this.tip.height}`);
    const created: ConfirmedCoin[] = [];
    const spent: { coin: ConfirmedCoin; by: string }[] = [];
    for (const tx of found) {
      for (const input of tx.inputs) {
        const coin = this.get(input);
        if (coin === undefined) continue;
        this.#drop(coin);
        this.#spenders.set(outpointName(coin), { txid: tx.txid, block: mark });
        spent.push({ coin, by: tx.txid });
      }
      const coinbase = isCoinbase(tx);
      for (const coin of coinsOf(tx, scripts)) {
        const confirmed = { ...coin, height: mark.height, coinbase };
        this.#add(confirmed);
        created.push(confirmed);
      }
    }
    this.#applied.push({ mark, created, spent });
    this.#trim();
  }

  rewind(to: Mark): void {
    while (this.tip.id !== to.id) {
      const last = this.#applied.pop();
      if (last === undefined) throw new Error(`block ${to.height} cannot be reached`);
      for (const { coin } of last.spent) {
        this.#add(coin);
        this.#spenders.delete(outpointName(coin));
      }
      for (const coin of last.created) this.#drop(coin);
    }
  }

  /** Adds older outputs that a later search at `tip` found; undone with their blocks. */
  insert(coins: readonly ConfirmedCoin[]): void {
    for (const coin of coins) {
      if (this.get(coin) !== undefined) continue;
      this.#add(coin);
      this.#applied.find(({ mark }) => mark.height === coin.height)?.created.push(coin);
    }
  }

  at(id: string): ReadonlyMap<string, ConfirmedCoin> | undefined {
    const coins = new Map(this.#coins);
    if (this.#base.id === id || this.#applied.some(({ mark }) => mark.id === id)) {
      for (let n = this.#applied.length - 1; n >= 0 && this.#applied[n]?.mark.id !== id; n -= 1) {
        for (const { coin } of this.#applied[n]?.spent ?? []) coins.set(outpointName(coin), coin);
        for (const coin of this.#applied[n]?.created ?? []) coins.delete(outpointName(coin));
      }
      return coins;
    }
    return undefined;
  }

  #trim(): void {
    while (this.#applied.length > this.#most) {
      const oldest = this.#applied.shift();
      if (oldest === undefined) return;
      this.#base = oldest.mark;
      for (const { coin } of oldest.spent) this.#spenders.delete(outpointName(coin));
    }
  }

  #add(coin: ConfirmedCoin): void {
    this.#coins.set(outpointName(coin), coin);
    this.#outpoints.add(outpointText(coin.txid, coin.vout));
  }

  #drop(coin: ConfirmedCoin): void {
    this.#coins.delete(outpointName(coin));
    this.#outpoints.delete(outpointText(coin.txid, coin.vout));
  }
}

export function coinsOf(
  { txid, outputs }: RawTransaction,
  scripts: ServiceScripts,
): readonly Pick<ConfirmedCoin, 'txid' | 'vout' | 'own' | 'value'>[] {
  return outputs.flatMap(({ value, script }, vout) => {
    const own = scripts.of(script);
    return own === undefined ? [] : [{ txid, vout, own, value }];
  });
}
