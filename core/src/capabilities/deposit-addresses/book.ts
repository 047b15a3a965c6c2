import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Clock } from '../../contract/clock.js';
import type { AddressBook, AddressRef, AddressRow, RecordedTransfer } from '../../contract/deposit-addresses.js';
import type { UnixMs } from '../../contract/ids.js';
import type { Metrics } from '../../contract/observability.js';
import type { Store } from '../../contract/store.js';
import { againKey, readAskedAgain } from './again.js';
import { isHot } from './hot.js';

const PAGE_ROWS = 5_000;
/**
 * Rows that each reading repeats. A row that commits later than this many others is found when all rows are read next.
 */
const OVERLAP_ROWS = 256;
const FULL_READ_INTERVAL_MS = 600_000;
/** An address that is out of use is watched during one of this many slots. */
const SLOTS = 60;
const SLOT_MS = 60_000;

interface Deps {
  readonly store: Pick<Store, 'addressesAfter' | 'depositsAt' | 'meta'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly metrics: Pick<Metrics, 'gauge'>;
}

/**
 * See `AddressBook`. Addresses in use are always watched, each other one for one minute of every hour, so that money
 * that arrives years later is found within an hour.
 */
export class LiveAddressBook implements AddressBook {
  readonly watched = new Map<string, AddressRef>();
  readonly #deps: Deps;
  readonly #chain: ChainAdapter;
  readonly #rows = new Map<string, Pick<AddressRow, 'address' | 'salt' | 'hotUntil'>>();
  #readTo = 0;
  /** Version of the row of `watchAgain` that was read last. */
  #again = 0;
  #hot = 0;
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
      for (const row of rows) this.#put(row);
      after = rows.at(-1)?.position ?? after;
      if (rows.length < PAGE_ROWS) break;
    }
    this.#readTo = Math.max(after, this.#readTo);
    await this.#readAgain();
    if (isWhole) this.#wholeAt = clock.monotonic();
    this.#turn(clock.now());
    this.#report();
  }

  /** Reads the addresses of `watchAgain`. */
  async #readAgain(): Promise<void> {
    const { store, clock } = this.#deps;
    const asked = await store.meta(againKey(this.#chain.facts.id));
    if (asked === undefined || asked.version === this.#again) return;
    this.#again = asked.version;
    for (const [address, hotUntil] of readAskedAgain(asked.value)) {
      const row = this.#rows.get(address);
      if (row === undefined || row.hotUntil >= hotUntil || hotUntil <= clock.now()) continue;
      this.#put({ ...row, hotUntil });
    }
  }

  #put({ address, salt, hotUntil }: Pick<AddressRow, 'address' | 'salt' | 'hotUntil'>): void {
    const now = this.#deps.clock.now();
    const known = this.#rows.get(address);
    const [was, is] = [known !== undefined && isHot(this.#chain, known, now), isHot(this.#chain, { hotUntil }, now)];
    this.#hot += Number(is) - Number(was);
    this.#rows.set(address, { address, salt, hotUntil });
    if (is || this.#hasTurn(address, now)) this.watched.set(address, { address, salt });
  }

  /** Adds the addresses of the present slot and removes those of the last one. */
  #turn(now: UnixMs): void {
    const slot = Math.floor(now / SLOT_MS);
    if (slot === this.#slot) return;
    this.#slot = slot;
    this.#hot = 0;
    for (const row of this.#rows.values()) {
      const { address, salt } = row;
      const hot = isHot(this.#chain, row, now);
      if (hot) this.#hot += 1;
      if (hot || this.#hasTurn(address, now)) this.watched.set(address, { address, salt });
      else this.watched.delete(address);
    }
  }

  #hasTurn(address: string, now: UnixMs): boolean {
    return slotOf(address) === Math.floor(now / SLOT_MS) % SLOTS;
  }

  #report(): void {
    const { metrics } = this.#deps;
    const help = 'Deposit addresses that are watched, with every block or within each hour';
    const chain = this.#chain.facts.id;
    metrics.gauge('deposit_addresses', help, this.#hot, { chain, watched: 'always' });
    metrics.gauge('deposit_addresses', help, this.#rows.size - this.#hot, { chain, watched: 'hourly' });
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
