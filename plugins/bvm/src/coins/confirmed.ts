import { type Outpoint, outpointName } from '../funding-key.js';
import { outpointText } from '../raw/block.js';
import { isCoinbase, type RawTransaction } from '../raw/transaction.js';
import type { Mark } from '../watch/cursor.js';
import type { OwnScripts } from '../watch/scripts.js';
import type { Spender } from './coin.js';
import type { ConfirmedCoin, Scan } from './scan.js';

/** What one block did, to take it back. */
interface Applied {
  readonly mark: Mark;
  readonly created: readonly ConfirmedCoin[];
  readonly spent: readonly { readonly coin: ConfirmedCoin; readonly by: string }[];
}

/**
 * The unspent outputs of our scripts as of one block. Moves to the next block and back again; how far back is limited.
 *
 * Invariant: exact at `tip`, if it was where it began and every block since was applied with all that concerns us.
 */
export class ConfirmedCoins {
  readonly #coins = new Map<string, ConfirmedCoin>();
  /** The same by `outpointText`. */
  readonly #outpoints = new Set<string>();
  readonly #spenders = new Map<string, Spender>();
  readonly #applied: Applied[] = [];
  readonly #most: number;
  #base: Mark;

  /** @param most blocks that can be taken back. */
  constructor({ at, coins }: Scan, most: number) {
    this.#base = at;
    this.#most = most;
    for (const coin of coins) this.#add(coin);
  }

  get tip(): Mark {
    return this.#applied[this.#applied.length - 1]?.mark ?? this.#base;
  }

  /** The oldest block that it can be moved to. */
  get base(): Mark {
    return this.#base;
  }

  /** Blocks that it can be moved to, newest first. */
  reachable(): readonly Mark[] {
    return [...this.#applied.map(({ mark }) => mark).reverse(), this.#base];
  }

  all(): Iterable<ConfirmedCoin> {
    return this.#coins.values();
  }

  get(outpoint: Outpoint): ConfirmedCoin | undefined {
    return this.#coins.get(outpointName(outpoint));
  }

  /** What spent a coin in one of the blocks that can be taken back. */
  spender(outpoint: Outpoint): Spender | undefined {
    return this.#spenders.get(outpointName(outpoint));
  }

  has(outpoint: string): boolean {
    return this.#outpoints.has(outpoint);
  }

  /** @param found all transactions of the block that pay or spend something of ours, in its order. */
  apply(mark: Mark, found: readonly RawTransaction[], scripts: OwnScripts): void {
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

  /** Takes blocks back until this one is the tip. @throws when it is none of `reachable`. */
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

  /** All coins as of a block that can be reached; undefined for another one. */
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

/** Outputs of a transaction that pay us. */
export function coinsOf(
  { txid, outputs }: RawTransaction,
  scripts: OwnScripts,
): readonly Pick<ConfirmedCoin, 'txid' | 'vout' | 'own' | 'value'>[] {
  return outputs.flatMap(({ value, script }, vout) => {
    const own = scripts.of(script);
    return own === undefined ? [] : [{ txid, vout, own, value }];
  });
}
