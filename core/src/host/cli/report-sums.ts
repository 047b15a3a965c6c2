import { microUsdText } from '../../domain/money.js';

/** Amounts are decimal text in the smallest unit, `usd` has six digits. */
export interface SummedRow {
  readonly day: string;
  readonly originChainId: number | null;
  readonly destinationChainId: number | null;
  readonly chainId: number | null;
  readonly currency: string;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly measure: string;
  readonly amount: string;
  readonly usd: string;
  readonly unpriced: string;
}

export interface SummedAccount {
  readonly kind: string;
  readonly chainId: number | null;
  readonly currency: string;
  readonly amount: string;
}

/** `GET /admin/report`. */
export interface Part {
  readonly rows: readonly SummedRow[];
  readonly accounts: readonly SummedAccount[];
  readonly continuation?: string;
}

/** Adds up the parts of a report. Holds one row per day, route, currency and measure, however many transfers there were. */
export class ReportSums {
  readonly #rows = new Map<string, SummedRow>();
  readonly #accounts = new Map<string, SummedAccount>();

  add({ rows, accounts }: Part): void {
    for (const row of rows) {
      const { day, originChainId, destinationChainId, chainId, currency, measure } = row;
      const key = JSON.stringify([day, originChainId, destinationChainId, chainId, currency, measure]);
      const known = this.#rows.get(key);
      this.#rows.set(key, known === undefined ? row : sumOf(known, row));
    }
    for (const one of accounts) {
      const key = JSON.stringify([one.kind, one.chainId, one.currency]);
      const known = this.#accounts.get(key);
      this.#accounts.set(key, known === undefined ? one : { ...one, amount: plus(known.amount, one.amount) });
    }
  }

  /** In order, without zeros. */
  all(): { readonly rows: readonly SummedRow[]; readonly accounts: readonly SummedAccount[] } {
    const sorted = <T>(sums: ReadonlyMap<string, T>) =>
      [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
    return {
      rows: sorted(this.#rows).filter(({ amount }) => amount !== '0'),
      accounts: sorted(this.#accounts).filter(({ amount }) => amount !== '0'),
    };
  }
}

function sumOf(a: SummedRow, b: SummedRow): SummedRow {
  const usd = microUsdText(microUsd(a.usd) + microUsd(b.usd));
  return { ...a, amount: plus(a.amount, b.amount), usd, unpriced: plus(a.unpriced, b.unpriced) };
}

function plus(a: string, b: string): string {
  return (BigInt(a) + BigInt(b)).toString();
}

/** Of text with exactly six fraction digits. */
function microUsd(text: string): bigint {
  return BigInt(text.replace('.', ''));
}
