import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Clock } from '../../contract/clock.js';
import type { AddressBook, AddressRef, AddressRow, RecordedTransfer } from '../../contract/deposit-addresses.js';
import type { UnixMs } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';

const PAGE = 5_000;
/** A quote that commits later than this after its creation is found by the next whole reading. Milliseconds. */
const LATE_COMMIT_MS = 60_000;
const WHOLE_MS = 600_000;
/** An address that is out of use is watched for one of so many slots. */
const SLOTS = 60;
const SLOT_MS = 60_000;

interface Deps {
  readonly store: Pick<Store, 'addressesAfter' | 'depositsAt'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

const START = { createdAt: 0, id: '' } as const;

/**
 * See `AddressBook`. Addresses in use are watched always, the others for a minute of each hour, so that money that comes
 * years later is found within an hour.
 */
export class LiveAddressBook implements AddressBook {
  readonly watched = new Map<string, AddressRef>();
  readonly #deps: Deps;
  readonly #chain: ChainAdapter;
  readonly #rows = new Map<string, Pick<AddressRow, 'address' | 'salt' | 'hotUntil'>>();
  #readTo: Pick<AddressRow, 'createdAt' | 'id'> = START;
  #wholeAt = Number.NEGATIVE_INFINITY;
  #slot = -1;

  constructor(deps: Deps, chain: ChainAdapter) {
    this.#deps = deps;
    this.#chain = chain;
  }

  async refresh(): Promise<void> {
    const { store, clock } = this.#deps;
    const isWhole = clock.monotonic() - this.#wholeAt >= WHOLE_MS;
    let after = isWhole ? START : { createdAt: this.#readTo.createdAt - LATE_COMMIT_MS, id: '' };
    for (;;) {
      const rows = await store.addressesAfter(this.#chain.facts.id, after, PAGE);
      for (const row of rows) this.#add(row);
      const last = rows.at(-1);
      if (last !== undefined) after = { createdAt: last.createdAt, id: last.id };
      if (rows.length < PAGE) break;
    }
    if (after.createdAt > this.#readTo.createdAt) this.#readTo = after;
    if (isWhole) this.#wholeAt = clock.monotonic();
    this.#turn(clock.now());
  }

  #add({ address, salt, hotUntil }: AddressRow): void {
    this.#rows.set(address, { address, salt, hotUntil });
    if (this.#isWatched(address, hotUntil, this.#deps.clock.now())) this.watched.set(address, { address, salt });
  }

  /** Lets addresses come and go, once a slot. */
  #turn(now: UnixMs): void {
    const slot = Math.floor(now / SLOT_MS);
    if (slot === this.#slot) return;
    this.#slot = slot;
    for (const { address, salt, hotUntil } of this.#rows.values()) {
      if (this.#isWatched(address, hotUntil, now)) this.watched.set(address, { address, salt });
      else this.watched.delete(address);
    }
  }

  #isWatched(address: string, hotUntil: UnixMs, now: UnixMs): boolean {
    if (hotUntil > now || this.#chain.capabilities.depositAddresses?.watchesAll === true) return true;
    return slotOf(address) === Math.floor(now / SLOT_MS) % SLOTS;
  }

  async recorded(addresses: readonly string[]): Promise<readonly RecordedTransfer[]> {
    const rows = await this.#deps.store.depositsAt(this.#chain.facts.id, addresses);
    return rows.flatMap(({ fundingKey, depositAddress, currency, amount, state, height }) =>
      depositAddress === null || state === 'vanished'
        ? []
        : [{ fundingKey, address: depositAddress, currency, amount, state, height }],
    );
  }
}

function slotOf(address: string): number {
  let sum = 0;
  for (let n = 0; n < address.length; n += 1) sum = (sum * 31 + address.charCodeAt(n)) % 1_000_003;
  return sum % SLOTS;
}
