import type {
  AddressBook,
  AddressRef,
  ChainAdapter,
  DepositBatch,
  DepositObservation,
  Hex,
  RecordedTransfer,
} from '@causeway/core';
import { type Applied, apply } from './fake-watch.js';
import { eventually } from './legs.js';

/** A book over what a ledger would have. */
export interface TestBook extends AddressBook {
  readonly watched: Map<string, AddressRef>;
  add(salt: Hex, address: string): string;
  applied: Applied;
}

export function testBook(applied: Applied = { cursor: undefined, seen: new Map() }): TestBook {
  const watched = new Map<string, AddressRef>();
  const book: TestBook = {
    watched,
    applied,
    add: (salt, address) => {
      watched.set(address, { salt, address });
      return address;
    },
    refresh: async () => undefined,
    recorded: async (addresses) => recordedOf(book.applied, new Set(addresses)),
  };
  return book;
}

function recordedOf({ seen }: Applied, addresses: ReadonlySet<string>): readonly RecordedTransfer[] {
  return [...seen.values()].flatMap(({ fundingKey, depositAddress, currency, amount, state, block, stray }) => {
    if (depositAddress === null || !addresses.has(depositAddress) || state === 'vanished' || stray) return [];
    return [{ fundingKey, address: depositAddress, currency, amount, state, height: block?.height ?? null }];
  });
}

export interface AddressWatching {
  readonly batches: readonly DepositBatch[];
  /** Observations of deposit addresses, oldest first. */
  seen(): readonly DepositObservation[];
  until(good: (seen: readonly DepositObservation[]) => boolean): Promise<readonly DepositObservation[]>;
  end(): Promise<void>;
}

/** Watches into the book, from where it is. */
export function watchAddresses(adapter: ChainAdapter, book: TestBook): AddressWatching {
  const stop = new AbortController();
  const batches: DepositBatch[] = [];
  let failure: unknown;
  const watching = (async () => {
    const wanted = { isPromised: async () => new Set<never>(), addresses: book };
    for await (const batch of adapter.watchDeposits(book.applied.cursor, stop.signal, wanted)) {
      batches.push(batch);
      book.applied = apply(book.applied, batch);
    }
  })().catch((error: unknown) => {
    failure = error;
  });
  const seen = (): readonly DepositObservation[] => {
    if (failure !== undefined) throw failure;
    return [...book.applied.seen.values()].filter(({ depositAddress }) => depositAddress !== null);
  };
  return {
    batches,
    seen,
    until: (good) => eventually(async () => seen(), good),
    end: async () => {
      stop.abort();
      await watching;
      if (failure !== undefined) throw failure;
    },
  };
}
