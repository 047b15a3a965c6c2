import type { DepositRow } from '../../contract/store-rows.js';

const MAX_CLEARED = 20_000;

/**
 * Transfers whose depositors were cleared by screeners. Kept by the process that holds the lease of their chain; after
 * a restart screeners are asked again.
 */
export class ClearedDepositors {
  readonly #names = new Set<string>();

  add(name: string): void {
    this.#names.add(name);
    const [oldest] = this.#names;
    if (this.#names.size > MAX_CLEARED && oldest !== undefined) this.#names.delete(oldest);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }
}

/** Under which a transfer is known as cleared: another payer is another name. */
export function nameOf({ fundingKey, depositor }: Pick<DepositRow, 'fundingKey' | 'depositor'>): string {
  return `${fundingKey} ${depositor}`;
}
