import type { Hex } from '@causeway/core';
import type { Place } from '../../deposit-addresses/read-arrived.js';
import type { Head } from '../heads.js';
import { coinPayments } from './coin-payments.js';
import type { Shown } from './shown.js';
import { mayMoveTokens, type TokenTransfer, tokenTransfers } from './token-transfers.js';

/** Maximum blocks of one search. */
const MAX_BLOCKS = 8;

export interface Look {
  /** Direct native payments by transactions, by account. */
  readonly paid: ReadonlyMap<string, readonly Shown[]>;
  readonly transfers: readonly TokenTransfer[];
}

const EMPTY_LOOK: Look = { paid: new Map(), transfers: [] };

/**
 * Searches blocks for payments to any of many addresses, with two calls for a block: its transactions, and its
 * transfers of configured tokens. Native payments by contracts are not found.
 *
 * Invariant: everything that blocks above `since` show, up to the last search, was found.
 */
export class QuickLook {
  readonly #tokens: readonly Hex[];
  #to: Place | undefined;
  #since = Number.POSITIVE_INFINITY;

  constructor(tokens: readonly Hex[]) {
    this.#tokens = tokens;
  }

  /** Whether everything that blocks after this one show, up to the head, was found. */
  covers(height: number, { id }: Place): boolean {
    return height >= this.#since && this.#to?.id === id;
  }

  /**
   * The next search repeats it unless `done` was called.
   *
   * @throws as `coinPayments` and `tokenTransfers`
   */
  async at(head: Head, watched: { has(address: string): boolean }): Promise<Look> {
    const from = this.#to;
    if (from === undefined || head.height - from.height > MAX_BLOCKS || head.height < from.height) {
      this.#begin(head);
      return EMPTY_LOOK;
    }
    if (from.id === head.id) return EMPTY_LOOK;
    const follows = from.id === head.parentHash;
    const range = { from: from.height, head };
    const [paid, transfers] = await Promise.all([
      follows && head.empty ? EMPTY_LOOK.paid : coinPayments(watched, range),
      follows && !mayMoveTokens(head, this.#tokens) ? [] : tokenTransfers(head.provider, this.#tokens, watched, range),
    ]);
    if (transfers === undefined) this.#begin(head);
    return { paid, transfers: transfers ?? [] };
  }

  /** The results of the search up to this head were reported. */
  done({ height, id }: Head): void {
    this.#to = { height, id };
  }

  /** The blocks above are replaced. */
  rewind(to: Place): void {
    if (this.#to === undefined || this.#to.height <= to.height) return;
    this.#to = to;
    this.#since = Math.min(this.#since, to.height);
  }

  #begin({ height, id }: Head): void {
    this.#to = { height, id };
    this.#since = height;
  }
}
