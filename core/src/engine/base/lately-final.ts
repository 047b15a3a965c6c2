import type { ChainId, FundingKey } from '../../contract/ids.js';
import type { DepositRow } from '../../contract/store-rows.js';

export type Arrival = Pick<DepositRow, 'fundingKey' | 'currency' | 'amount'>;

export type Noted = Arrival & { readonly height: number };

/** Per chain; more than become final while a depository is looked at. */
const MOST = 5_000;

/**
 * The deposits that this process made final lately. A reader of recent deposits needs them beside the store's list of deposits
 * that may still vanish: on a chain that is final at once, that list is empty.
 *
 * Invariant: a deposit is noted before the change set that makes it final is written, so that it is always in one of the two
 * lists. A deposit whose change set failed is in both.
 */
export class LatelyFinal {
  readonly #noted = new Map<ChainId, Map<FundingKey, Noted>>();
  /** Greatest height of the deposits that were forgotten for want of room, by chain. */
  readonly #floor = new Map<ChainId, number>();
  /** Greatest height of all that was noted, by chain: each new head asks for what is above it. */
  readonly #highest = new Map<ChainId, number>();

  note({ chainId, fundingKey, currency, amount, height }: DepositRow): void {
    if (height === null) return;
    const noted = this.#noted.get(chainId) ?? new Map<FundingKey, Noted>();
    this.#noted.set(chainId, noted);
    noted.delete(fundingKey);
    noted.set(fundingKey, { fundingKey, currency, amount, height });
    this.#highest.set(chainId, Math.max(this.#highest.get(chainId) ?? 0, height));
    const oldest = noted.size > MOST ? noted.values().next().value : undefined;
    if (oldest === undefined) return;
    noted.delete(oldest.fundingKey);
    this.#floor.set(chainId, Math.max(this.#floor.get(chainId) ?? 0, oldest.height));
  }

  /** The noted deposits above a height; undefined where some of them may have been forgotten. */
  above(chainId: ChainId, height: number): readonly Noted[] | undefined {
    if (height >= (this.#highest.get(chainId) ?? Number.NEGATIVE_INFINITY)) return [];
    if (height < (this.#floor.get(chainId) ?? Number.NEGATIVE_INFINITY)) return undefined;
    return [...(this.#noted.get(chainId)?.values() ?? [])].filter((one) => one.height > height);
  }
}
