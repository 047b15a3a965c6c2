import type { Clock, Hex, Logger } from '@causeway/core';
import { portionsOfBalances, readArrived } from '../../deposit-addresses/read-arrived.js';
import type { Head } from '../heads.js';
import type { Account } from './ledger.js';
import { UnreadTokens } from './unread-tokens.js';

export interface Arrival extends Account {
  /** Cumulative sum that arrived, smallest unit; above 0. */
  readonly arrived: bigint;
}

/** Reads the cumulative sums of addresses from the state at a head. */
export class Arrivals {
  readonly #factory: Hex;
  readonly #unread: UnreadTokens;
  readonly #portions = portionsOfBalances();

  constructor(deps: { readonly factory: Hex; readonly clock: Pick<Clock, 'monotonic'>; readonly log: Logger }) {
    this.#factory = deps.factory;
    this.#unread = new UnreadTokens(deps);
  }

  /** Omits accounts where nothing arrived or the token does not answer. */
  async of(addresses: readonly string[], currencies: readonly string[], head: Head): Promise<readonly Arrival[]> {
    const tokens = this.#unread.due(currencies);
    const arrived = await readArrived(head.provider, this.#factory, { addresses, tokens }, head, this.#portions);
    this.#unread.note(arrived);
    const found: Arrival[] = [];
    for (const [currency, amounts] of arrived)
      for (const [n, amount] of amounts.entries())
        if (amount !== undefined && amount > 0n) found.push({ address: addresses[n] ?? '', currency, arrived: amount });
    return found;
  }
}
