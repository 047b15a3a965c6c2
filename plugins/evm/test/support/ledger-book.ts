import type { AddressBook, AddressRef, DepositBatch, DepositObservation, RecordedTransfer } from '@causeway/core';

/** Deposit addresses and what was observed at them, by the rules of `DepositBatch`, as core's ledger has it. */
export class LedgerBook implements AddressBook {
  readonly watched = new Map<string, AddressRef>();
  readonly known = new Map<string, DepositObservation>();
  readonly asked: string[][] = [];
  refreshes = 0;

  watch(...refs: readonly AddressRef[]): void {
    for (const ref of refs) this.watched.set(ref.address, ref);
  }

  async refresh(): Promise<void> {
    this.refreshes += 1;
  }

  async recorded(addresses: readonly string[]): Promise<readonly RecordedTransfer[]> {
    this.asked.push([...addresses]);
    const wanted = new Set(addresses);
    return this.present().flatMap(({ fundingKey, depositAddress, currency, amount, state, block }) =>
      depositAddress === null || !wanted.has(depositAddress) || state === 'vanished'
        ? []
        : [{ fundingKey, address: depositAddress, currency, amount, state, height: block?.height ?? null }],
    );
  }

  apply({ rewoundTo, readFrom, readTo, head, finalized, deposits }: DepositBatch): void {
    const [above, from] = [rewoundTo ?? Number.POSITIVE_INFINITY, readFrom ?? Number.POSITIVE_INFINITY];
    for (const [key, seen] of this.known) {
      const height = seen.block?.height ?? 0;
      if (seen.state === 'included' && (height > above || (height > from && height <= (readTo ?? head.height))))
        this.known.set(key, { ...seen, state: 'vanished', block: null });
    }
    for (const seen of deposits)
      if (this.known.get(seen.fundingKey)?.state !== 'final') this.known.set(seen.fundingKey, seen);
    for (const [key, seen] of this.known)
      if (seen.state === 'included' && (seen.block?.height ?? Number.POSITIVE_INFINITY) <= finalized.height)
        this.known.set(key, { ...seen, state: 'final' });
  }

  present(): readonly DepositObservation[] {
    return [...this.known.values()].filter(({ state }) => state !== 'vanished');
  }

  at(address: string): readonly DepositObservation[] {
    return this.present()
      .filter(({ depositAddress }) => depositAddress === address)
      .sort((a, b) => (a.fundingKey < b.fundingKey ? -1 : 1));
  }
}
