import type { ChainId, FundingKey } from '../../contract/ids.js';
import type { DepositRow } from '../../contract/store-rows.js';

export type Arrival = Pick<DepositRow, 'fundingKey' | 'currency' | 'amount'>;

export type Noted = Arrival & { readonly height: number };

const MAX_REMEMBERED = 5_000;

/**
 * Deposits that this process made final recently, for readers of recent deposits: the store's list of non-final
 * deposits is empty on chains with instant finality.
 *
 * Invariant: noted before the finalising change set is written, so a deposit is always in one of both lists.
 */
export class LatelyFinal {
  readonly #noted = new Map<ChainId, Map<FundingKey, Noted>>();
  /** Greatest height evicted. */
  readonly #floor = new Map<ChainId, number>();
  readonly #highest = new Map<ChainId, number>();

  note({ chainId, fundingKey, currency, amount, height }: DepositRow): void {
    if (height === null) return;
    const noted = this.#noted.get(chainId) ?? new Map<FundingKey, Noted>();
    this.#noted.set(chainId, noted);
    noted.delete(fundingKey);
    noted.set(fundingKey, { fundingKey, currency, amount, height });
    this.#highest.set(chainId, Math.max(this.#highest.get(chainId) ?? 0, height));
    const oldest = noted.size > MAX_REMEMBERED ? noted.values().next().value : undefined;
    if (oldest === undefined) return;
    noted.delete(oldest.fundingKey);
    this.#floor.set(chainId, Math.max(this.#floor.get(chainId) ?? 0, oldest.height));
  }

  /** Undefined where some may have been evicted. */
  above(chainId: ChainId, height: number): readonly Noted[] | undefined {
    if (height >= (this.#highest.get(chainId) ?? Number.NEGATIVE_INFINITY)) return [];
    if (height < (this.#floor.get(chainId) ?? Number.NEGATIVE_INFINITY)) return undefined;
    return [...(this.#noted.get(chainId)?.values() ?? [])].filter((one) => one.height > height);
  }
}
