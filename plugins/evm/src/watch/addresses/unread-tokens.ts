import type { Clock, Logger } from '@causeway/core';
import type { Arrived } from '../../deposit-addresses/read-arrived.js';

const REPORT_INTERVAL_MS = 60_000;
const MIN_MISSING_BALANCES = 5;

/** Tokens that returned no balance: each is skipped for a minute, which bounds the cost. */
export class UnreadTokens {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #log: Logger;
  readonly #until = new Map<string, number>();

  constructor({ clock, log }: { readonly clock: Pick<Clock, 'monotonic'>; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  due(currencies: readonly string[]): readonly string[] {
    const now = this.#clock.monotonic();
    return currencies.filter((currency) => (this.#until.get(currency) ?? 0) <= now);
  }

  note(arrived: Arrived): void {
    for (const [currency, amounts] of arrived) {
      const missing = amounts.filter((amount) => amount === undefined).length;
      // Single failing addresses do not make a token unread.
      if (missing < MIN_MISSING_BALANCES || missing <= amounts.length / 2) continue;
      this.#until.set(currency, this.#clock.monotonic() + REPORT_INTERVAL_MS);
      this.#log.warn({ currency, missing }, 'a token returns no balances of deposit addresses');
    }
  }
}
