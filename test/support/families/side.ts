import type { ChainHistory } from '../history.js';
import type { Inventory, Pot } from '../oracle.js';
import type { Quote } from '../rest.js';

/** Somebody with a key and money on one chain. */
export interface Payer {
  readonly address: string;
}

/** One real chain of any family, as a test of transfers needs it. Balances are smallest units, symbols the tokens' own. */
export interface Side {
  readonly id: number;
  readonly name: string;
  /** Symbol of the native coin. */
  readonly coin: string;
  readonly decimals: number;
  currency(symbol: string): string;
  balance(owner: string, symbol: string): Promise<bigint>;
  /** An account that nothing was ever sent to. */
  newAddress(): string;
  /** Helps what is included to become final, where a test has to. */
  advance(): Promise<void>;
  /** Address of the fill signer. */
  readonly solver: string;
  /** What the chain says happened since the world began. */
  history(): Promise<ChainHistory>;
  inventory(): Promise<readonly Omit<Inventory, 'before'>[]>;
  pots(): Promise<readonly Pot[]>;
  /** Sends of the fill signer that wait in a pool. */
  waiting(): Promise<number>;
}

/** A chain that somebody pays on. */
export interface PayingSide<P extends Payer> extends Side {
  /** Somebody who can pay in this currency. */
  payer(symbol: string): Promise<P>;
  /** All steps of a quote, as a wallet sends them; resolves with the name of the deposit's transaction. */
  pay(payer: P, quote: Quote): Promise<string>;
}
