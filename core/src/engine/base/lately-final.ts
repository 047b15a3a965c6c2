import type { ChainId, FundingKey } from '../../contract/ids.js';
import type { DepositRow } from '../../contract/store-rows.js';

export type Arrival = Pick<DepositRow, 'fundingKey' | 'currency' | 'amount'>;

type Noted = Arrival & { readonly height: number };

/** Per chain; more than become final while a depository is looked at. */
const MOST = 5_000;

/**
 * The deposits that this process let become final lately. The store lists those that may still vanish by their height, which on
 * chains of quick finality none of those is that came in a moment ago.
 *
 * Invariant: a deposit is noted before the change set that makes it final is written, so that it is never in neither list. One
 * whose change set failed is in both.
 */
export class LatelyFinal {
  readonly #noted = new Map<ChainId, Map<FundingKey, Noted>>();
  /** Greatest height of those that were forgotten again. */
  readonly #floor = new Map<ChainId, number>();

  note({ chainId, fundingKey, currency, amount, height }: DepositRow): void {
    if (height === null) return;
    const noted = this.#noted.get(chainId) ?? new Map<FundingKey, Noted>();
    this.#noted.set(chainId, noted);
    noted.delete(fundingKey);
    noted.set(fundingKey, { fundingKey, currency, amount, height });
    const oldest = noted.size > MOST ? noted.values().next().value : undefined;
    if (oldest === undefined) return;
    noted.delete(oldest.fundingKey);
    this.#floor.set(chainId, Math.max(this.#floor.get(chainId) ?? 0, oldest.height));
  }

  /** Those above a height; undefined where some of them may have been forgotten. */
  above(chainId: ChainId, height: number): readonly Arrival[] | undefined {
    if (height < (this.#floor.get(chainId) ?? Number.NEGATIVE_INFINITY)) return undefined;
    return [...(this.#noted.get(chainId)?.values() ?? [])].filter((one) => one.height > height);
  }
}
