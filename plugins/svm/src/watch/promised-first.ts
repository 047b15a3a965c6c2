import type { Clock, IsPromised, OrderId } from '@causeway/core';
import type { Listed } from '../listing/page.js';

const IDS_PER_QUESTION = 500;
/** Entries queried again per round, newest first: the order may have been unknown before. */
const MAX_REPEATED_IDS = 500;
const ASK_INTERVAL_MS = 10_000;
/** Prioritized entries per order: anyone can name a public order. */
const MAX_PER_ORDER = 16;

/**
 * Only transactions that could name an order (`readDeposits`) are queried. Only the reading order changes, and orders
 * take turns: spam for one order delays no other.
 */
export class PromisedFirst {
  readonly #isPromised: IsPromised;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Time of the query, by signature. */
  #asked = new Map<string, number>();
  readonly #promised = new Map<string, Listed>();

  constructor(isPromised: IsPromised, clock: Pick<Clock, 'monotonic'>) {
    this.#isPromised = isPromised;
    this.#clock = clock;
  }

  /** @param unread all listed, unread entries. */
  async ask(unread: readonly Listed[]): Promise<void> {
    const candidates = unread.filter((entry) => nameOf(entry) !== undefined && !this.#promised.has(entry.signature));
    const before = this.#asked;
    this.#asked = new Map(
      candidates.flatMap(({ signature }) => {
        const at = before.get(signature);
        return at === undefined ? [] : [[signature, at] as const];
      }),
    );
    const now = this.#clock.monotonic();
    const fresh = candidates.filter(({ signature }) => !this.#asked.has(signature));
    const askedAt = ({ signature }: Listed): number => this.#asked.get(signature) ?? now;
    const again = candidates
      .filter((entry) => now - askedAt(entry) >= ASK_INTERVAL_MS)
      .reverse()
      .sort((a, b) => askedAt(a) - askedAt(b))
      .slice(0, MAX_REPEATED_IDS);
    const wanted = [...fresh, ...again];
    const ids = [...new Set(wanted.flatMap((entry) => nameOf(entry) ?? []))];
    const promised = new Set<OrderId>();
    for (let from = 0; from < ids.length; from += IDS_PER_QUESTION) {
      for (const id of await this.#isPromised(ids.slice(from, from + IDS_PER_QUESTION))) promised.add(id);
    }
    for (const entry of wanted) {
      const id = nameOf(entry);
      if (id !== undefined && promised.has(id)) this.#promised.set(entry.signature, entry);
      else this.#asked.set(entry.signature, now);
    }
  }

  /**
   * Next transactions, at most so many.
   *
   * @param isGone read, or reverted.
   */
  next(most: number, isGone: (entry: Listed) => boolean): readonly Listed[] {
    const turns = new Map<string, number>();
    const ranked: { readonly entry: Listed; readonly turn: number }[] = [];
    for (const entry of [...this.#promised.values()].sort((a, b) => a.slot - b.slot)) {
      if (isGone(entry)) {
        this.#promised.delete(entry.signature);
        continue;
      }
      const id = nameOf(entry) ?? '';
      const turn = turns.get(id) ?? 0;
      turns.set(id, turn + 1);
      if (turn < MAX_PER_ORDER) ranked.push({ entry, turn });
    }
    return ranked
      .sort((a, b) => a.turn - b.turn)
      .slice(0, most)
      .map(({ entry }) => entry);
  }
}

/** The only order named by its memos. */
function nameOf({ ids: [first, ...more] }: Listed): OrderId | undefined {
  return more.every((id) => id === first) ? first : undefined;
}
