import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AddressBook, AddressRef, DepositBatch, DepositObservation, Hex, RecordedTransfer } from '@causeway/core';
import type { TonvmAdapter } from '../../src/tonvm-adapter.js';

export interface TestBook extends AddressBook {
  readonly watched: Map<string, AddressRef>;
  readonly rows: RecordedTransfer[];
}

export function testBook(): TestBook {
  const watched = new Map<string, AddressRef>();
  const rows: RecordedTransfer[] = [];
  return {
    watched,
    rows,
    refresh: async () => undefined,
    recorded: async (addresses) => rows.filter(({ address }) => addresses.includes(address)),
  };
}

/** Not in a book yet. */
export function freshAddress(adapter: TonvmAdapter): AddressRef {
  const salt: Hex = `0x${randomBytes(32).toString('hex')}`;
  return { salt, address: capabilityOf(adapter).derive(salt) };
}

export function capabilityOf({ capabilities }: TonvmAdapter) {
  const { depositAddresses } = capabilities;
  if (depositAddresses === undefined) throw new Error('no deposit addresses');
  return depositAddresses;
}

export interface Watch {
  readonly seen: readonly DepositObservation[];
  readonly last: () => DepositBatch | undefined;
  /** @throws on time-out */
  until(count: number, of?: (one: DepositObservation) => boolean): Promise<readonly DepositObservation[]>;
  stop(): Promise<void>;
}

const PAUSE_MS = 20;
const MAX_PAUSES = 600;

export async function watchAddresses(adapter: TonvmAdapter, book: TestBook, cursor?: string): Promise<Watch> {
  const seen: DepositObservation[] = [];
  const stop = new AbortController();
  let last: DepositBatch | undefined;
  const wanted = { isPromised: async () => new Set<Hex>(), addresses: book };
  const done = (async () => {
    for await (const batch of adapter.watchDeposits(cursor, stop.signal, wanted)) {
      last = batch;
      seen.push(...batch.deposits);
      for (const { fundingKey, depositAddress, currency, amount, state, block } of batch.deposits)
        if (depositAddress !== null && state !== 'vanished')
          book.rows.push({
            fundingKey,
            address: depositAddress,
            currency,
            amount,
            state,
            height: block?.height ?? null,
          });
    }
  })();
  for (let n = 0; n < MAX_PAUSES && last === undefined; n += 1) await delay(PAUSE_MS);
  return {
    seen,
    last: () => last,
    until: async (count, of = ({ depositAddress }) => depositAddress !== null) => {
      for (let n = 0; n < MAX_PAUSES; n += 1) {
        const found = seen.filter(of);
        if (found.length >= count) return found;
        await delay(PAUSE_MS);
      }
      throw new Error(`${seen.filter(of).length} of ${count} transfers were reported`);
    },
    stop: async () => {
      stop.abort();
      await done;
    },
  };
}
