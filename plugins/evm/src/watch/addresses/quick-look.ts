import type { Hex } from '@causeway/core';
import type { Place } from '../../deposit-addresses/read-arrived.js';
import type { Head } from '../heads.js';
import { coinPayments } from './coin-payments.js';
import type { Shown } from './shown.js';
import { mayMoveTokens, type TokenTransfer, tokenTransfers } from './token-transfers.js';

/** Blocks of one look. */
const MAX_BLOCKS = 8;

export interface Look {
  /** Native coin that transactions sent themselves, by account. */
  readonly paid: ReadonlyMap<string, readonly Shown[]>;
  readonly transfers: readonly TokenTransfer[];
}

const EMPTY_LOOK: Look = { paid: new Map(), transfers: [] };

/**
 * Finds what the chain shows of payments to many addresses, in two calls for a block: all transactions of the block,
 * all transfers of configured tokens. What contracts paid in native coin is not among it.
 *
 * Invariant: all token transfers in blocks above `since`, up to the last look, were found.
 */
export class QuickLook {
  readonly #tokens: readonly Hex[];
  #to: Place | undefined;
  #since = Number.POSITIVE_INFINITY;

  constructor(tokens: readonly Hex[]) {
    this.#tokens = tokens;
  }

  /** All token transfers after that block, up to the head, were found. */
  covers(height: number, { id }: Place): boolean {
    return height >= this.#since && this.#to?.id === id;
  }

  /**
   * Repeated by the next look unless it is `done`.
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

  /** What the look found is reported. */
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
