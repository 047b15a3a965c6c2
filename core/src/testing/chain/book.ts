import type { AddressBook, AddressRef, RecordedTransfer } from '../../contract/deposit-addresses.js';
import type { DepositObservation } from '../../contract/deposits.js';

/** An address book over the observations that a watch has applied. */
export class KitBook implements AddressBook {
  readonly #watched = new Map<string, AddressRef>();
  #ledger: () => readonly DepositObservation[] = () => [];
  /** Calls of `refresh`. */
  refreshed = 0;

  constructor(...refs: readonly AddressRef[]) {
    this.add(...refs);
  }

  get watched(): ReadonlyMap<string, AddressRef> {
    return this.#watched;
  }

  add(...refs: readonly AddressRef[]): void {
    for (const ref of refs) this.#watched.set(ref.address, ref);
  }

  remove({ address }: AddressRef): void {
    this.#watched.delete(address);
  }

  readFrom(ledger: () => readonly DepositObservation[]): void {
    this.#ledger = ledger;
  }

  async refresh(): Promise<void> {
    this.refreshed += 1;
  }

  async recorded(addresses: readonly string[]): Promise<readonly RecordedTransfer[]> {
    const asked = new Set(addresses);
    return this.#ledger()
      .flatMap(({ fundingKey, depositAddress: address, currency, amount, state, block }): RecordedTransfer[] =>
        address === null || !asked.has(address) || state === 'vanished'
          ? []
          : [{ fundingKey, address, currency, amount, state, height: block?.height ?? null }],
      )
      .sort((a, b) => (a.height ?? 0) - (b.height ?? 0));
  }
}
