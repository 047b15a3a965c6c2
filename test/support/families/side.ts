import type { PaidAddresses } from '../deposit-addresses.js';
import type { ChainHistory } from '../history.js';
import type { Inventory, Pot } from '../oracle.js';
import type { Quote } from '../rest.js';

export interface Payer {
  readonly address: string;
}

/** One real chain of any family. Balances are smallest units, symbols the tokens' own. */
export interface Side {
  readonly id: number;
  readonly name: string;
  readonly coin: string;
  readonly decimals: number;
  currency(symbol: string): string;
  balance(owner: string, symbol: string): Promise<bigint>;
  /** A never used account. */
  newAddress(): string;
  /** Advances finality, where a test has to. */
  advance(): Promise<void>;
  readonly solver: string;
  /** Since the world began, from the chain alone. */
  history(addresses?: PaidAddresses): Promise<ChainHistory>;
  inventory(): Promise<readonly Omit<Inventory, 'before'>[]>;
  /** With what these addresses hold. */
  pots(addresses?: PaidAddresses): Promise<readonly Pot[]>;
  /** The fill signer's sends in a mempool. */
  waiting(): Promise<number>;
}

export interface PayingSide<P extends Payer> extends Side {
  payer(symbol: string): Promise<P>;
  /** All steps of a quote, as a wallet sends them; resolves with the deposit's transaction. */
  pay(payer: P, quote: Quote): Promise<string>;
}
