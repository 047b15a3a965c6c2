import type { DepositObservation, FundingKey, RecordedTransfer } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { readFunding } from '../../deposit-addresses/funding.js';
import { inParallel } from '../../parallel.js';
import { fetchTransaction } from '../../transactions/fetch.js';
import type { AccountReader } from './account-read.js';

const MAX_TRIES = 5;
const CONCURRENCY = 8;

interface Repeat {
  readonly transfer: RecordedTransfer;
  tries: number;
}

/**
 * Ledger transfers that were not final when the watch began. They are read again by their keys, so that one batch
 * repeats all of them.
 */
export class LedgerRepeats {
  readonly #open = new Map<FundingKey, Repeat>();
  readonly #providers: Pick<Providers, 'usable'>;
  readonly #reader: AccountReader;
  readonly #found: (deposit: DepositObservation) => void;

  constructor(
    providers: Pick<Providers, 'usable'>,
    reader: AccountReader,
    found: (deposit: DepositObservation) => void,
  ) {
    this.#providers = providers;
    this.#reader = reader;
    this.#found = found;
  }

  get isOver(): boolean {
    return this.#open.size === 0;
  }

  add(transfers: readonly RecordedTransfer[]): void {
    for (const transfer of transfers) this.#open.set(transfer.fundingKey, { transfer, tries: 0 });
  }

  /** A transfer that cannot be read in several tries is dropped: it is found again by the balance. */
  async read(provider: Provider): Promise<void> {
    const usable = this.#providers.usable();
    await inParallel(
      [...this.#open.values()],
      async (repeat) => {
        const { transfer } = repeat;
        const from = usable[repeat.tries % usable.length] ?? provider;
        const isDone = await this.#readOne(transfer, from, usable).catch((error: unknown) => {
          if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
          repeat.tries += 1;
          return repeat.tries >= MAX_TRIES;
        });
        if (isDone) this.#open.delete(transfer.fundingKey);
      },
      CONCURRENCY,
    );
  }

  /** @returns whether it was decided: found again, or no provider has it. */
  async #readOne(
    { fundingKey, address, currency }: RecordedTransfer,
    provider: Provider,
    usable: readonly Provider[],
  ): Promise<boolean> {
    const funding = readFunding(fundingKey);
    if (funding === undefined) return true;
    const { signature, account } = funding;
    const raw = await fetchTransaction(provider.rpc, signature);
    if (raw === undefined) {
      const others = usable.filter((one) => one !== provider);
      const shown = await Promise.all(others.map(({ rpc }) => fetchTransaction(rpc, signature)));
      return shown.every((one) => one === undefined);
    }
    const place = { signature, slot: raw.slot };
    const { deposits } = await this.#reader.read(provider, { address, account, currency }, place, () => true);
    for (const deposit of deposits) if (deposit.fundingKey === fundingKey) this.#found(deposit);
    return true;
  }
}
