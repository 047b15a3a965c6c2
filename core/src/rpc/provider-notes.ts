import type { ProviderReport } from '../contract/chain-state.js';
import type { Clock } from '../contract/clock.js';
import type { Testimony } from './witness.js';

type Said = NonNullable<ProviderReport['testimony']>;

interface Notes {
  head?: NonNullable<ProviderReport['head']>;
  testimony?: Said;
}

/** The worst first: what a provider says of many transfers is what it says of one of them. */
const WORST: readonly Testimony[] = ['different', 'nothing', 'same'];

/** What each provider said last, for operators. Nothing is decided by it, and nothing is asked for it. */
export class ProviderNotes {
  readonly #clock: Clock;
  readonly #notes = new Map<number, Notes>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A provider has this block. Its head may go back, by a reorg. */
  head(index: number, height: number): void {
    const others = [...this.#notes].flatMap(([other, { head }]) => (other === index || !head ? [] : [head.height]));
    const behind = Math.max(0, ...others.map((one) => one - height));
    this.#of(index).head = { height, at: this.#clock.now(), behind };
  }

  /**
   * @param said of each transfer of one round; empty: it was asked for none.
   * @param height the highest block of those that it confirmed; below 0: it confirmed none.
   */
  testified(index: number, said: readonly Testimony[], height: number): void {
    const says = WORST.find((one) => said.includes(one));
    if (says === undefined) return;
    const notes = this.#of(index);
    const at = this.#clock.now();
    const since = notes.testimony?.says === says ? notes.testimony.since : at;
    notes.testimony = { says, since, at };
    if (height > (notes.head?.height ?? -1)) notes.head = { height, at, behind: null };
  }

  /** Null: it has not been asked yet. */
  report(index: number): Pick<ProviderReport, 'head' | 'testimony'> {
    const { head = null, testimony = null } = this.#notes.get(index) ?? {};
    return { head, testimony };
  }

  #of(index: number): Notes {
    const known = this.#notes.get(index) ?? {};
    this.#notes.set(index, known);
    return known;
  }
}
