import type { AddressBook, AddressRef, DepositObservation, RecordedTransfer } from '@causeway/core';

/** A ledger's book: an address is durable at once, and watched after the next `refresh`. */
export class TestBook implements AddressBook {
  readonly watched = new Map<string, AddressRef>();
  readonly #durable = new Map<string, AddressRef>();
  /** Observations that the ledger has. */
  known: () => Iterable<DepositObservation> = () => [];
  /** Thrown by every call while set. */
  broken: Error | undefined;
  refreshes = 0;

  add(ref: AddressRef): AddressRef {
    this.#durable.set(ref.address, ref);
    return ref;
  }

  async refresh(): Promise<void> {
    if (this.broken) throw this.broken;
    this.refreshes += 1;
    for (const [address, ref] of this.#durable) this.watched.set(address, ref);
  }

  async recorded(addresses: readonly string[]): Promise<readonly RecordedTransfer[]> {
    if (this.broken) throw this.broken;
    return [...this.known()].flatMap(({ fundingKey, depositAddress, currency, amount, state, block }) =>
      depositAddress !== null && addresses.includes(depositAddress) && state !== 'vanished'
        ? [{ fundingKey, address: depositAddress, currency, amount, state, height: block?.height ?? null }]
        : [],
    );
  }
}
