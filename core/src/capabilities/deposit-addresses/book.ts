import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Clock } from '../../contract/clock.js';
import type { AddressBook, AddressRef, AddressRow, RecordedTransfer } from '../../contract/deposit-addresses.js';
import type { UnixMs } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import { HOT_MS } from './hot.js';

const PAGE_ROWS = 5_000;
/** Rows read again each time: what commits later than so many others is found by the next whole reading. */
const OVERLAP_ROWS = 256;
const FULL_READ_INTERVAL_MS = 600_000;
/** Overlap of hints, whose times are of the processes that wrote them. Milliseconds. */
const HINT_OVERLAP_MS = 60_000;
const MAX_HINTS = 1_000;
/** An address that is out of use is watched for one of so many slots. */
const SLOTS = 60;
const SLOT_MS = 60_000;

interface Deps {
  readonly store: Pick<Store, 'addressesAfter' | 'depositsAt' | 'hintsAfter'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

/**
 * See `AddressBook`. Addresses in use are watched always, the others for a minute of each hour, so that money that comes
 * years later is found within an hour.
 */
export class LiveAddressBook implements AddressBook {
  readonly watched = new Map<string, AddressRef>();
  readonly #deps: Deps;
  readonly #chain: ChainAdapter;
  readonly #rows = new Map<string, Pick<AddressRow, 'address' | 'salt' | 'hotUntil'>>();
  #readTo = 0;
  #hintedTo = 0;
  #wholeAt = Number.NEGATIVE_INFINITY;
  #slot = -1;

  constructor(deps: Deps, chain: ChainAdapter) {
    this.#deps = deps;
    this.#chain = chain;
  }

  async refresh(): Promise<void> {
    const { store, clock } = this.#deps;
    const isWhole = clock.monotonic() - this.#wholeAt >= FULL_READ_INTERVAL_MS;
    let after = isWhole ? 0 : Math.max(0, this.#readTo - OVERLAP_ROWS);
    for (;;) {
      const rows = await store.addressesAfter(this.#chain.facts.id, after, PAGE_ROWS);
      for (const row of rows) this.#add(row);
      after = rows.at(-1)?.position ?? after;
      if (rows.length < PAGE_ROWS) break;
    }
    this.#readTo = Math.max(after, this.#readTo);
    await this.#readHints();
    if (isWhole) this.#wholeAt = clock.monotonic();
    this.#turn(clock.now());
  }

  /** Addresses that a client asked to look at again. */
  async #readHints(): Promise<void> {
    const { store, clock } = this.#deps;
    const from = { createdAt: this.#hintedTo - HINT_OVERLAP_MS, id: '' };
    for (const { chainId, hash, createdAt } of await store.hintsAfter(from, MAX_HINTS)) {
      this.#hintedTo = Math.max(this.#hintedTo, createdAt);
      const row = chainId === this.#chain.facts.id ? this.#rows.get(hash) : undefined;
      if (row === undefined || row.hotUntil > clock.now()) continue;
      this.#rows.set(hash, { ...row, hotUntil: clock.now() + HOT_MS });
      this.watched.set(hash, { address: row.address, salt: row.salt });
    }
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
