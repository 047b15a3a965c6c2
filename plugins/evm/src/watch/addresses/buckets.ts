import type { Place } from '../../deposit-addresses/read-arrived.js';

/** Addresses that are read together. */
export interface Bucket {
  readonly addresses: Set<string>;
  /** Newest block up to which everything is read; undefined: nothing yet. */
  readTo: Place | undefined;
  /** Number of the address that was added last, in order of addition. */
  newest: number;
}

/** Limit of one call for native coin, and of the topics in one log query. */
const ADDRESSES_PER_BUCKET = 1_000;

/** The watched addresses in stable groups. */
export class Buckets {
  readonly #all: Bucket[] = [];
  readonly #of = new Map<string, Bucket>();
  #added = 0;

  get size(): number {
    return this.#of.size;
  }

  has(address: string): boolean {
    return this.#of.has(address);
  }

  addresses(): IterableIterator<string> {
    return this.#of.keys();
  }

  /** @param readTo block at which the address itself was read. */
  add(address: string, readTo: Place): void {
    let bucket = this.#all.find(({ addresses }) => addresses.size < ADDRESSES_PER_BUCKET);
    if (bucket === undefined) {
      bucket = { addresses: new Set(), readTo, newest: 0 };
      this.#all.push(bucket);
    }
    bucket.addresses.add(address);
    bucket.newest = this.#added += 1;
    this.#of.set(address, bucket);
  }

  remove(address: string): void {
    const bucket = this.#of.get(address);
    if (bucket === undefined) return;
    this.#of.delete(address);
    bucket.addresses.delete(address);
    if (bucket.addresses.size === 0) this.#all.splice(this.#all.indexOf(bucket), 1);
  }

  /** The longest unread first, then those with the newest addresses, which are the most likely to be paid. */
  due(head: Place): readonly Bucket[] {
    return this.#all
      .filter(({ readTo }) => readTo?.id !== head.id)
      .sort((a, b) => (a.readTo?.height ?? -1) - (b.readTo?.height ?? -1) || b.newest - a.newest);
  }

  /** The blocks above are replaced. */
  rewind(to: Place): void {
    for (const bucket of this.#all)
      if (bucket.readTo !== undefined && bucket.readTo.height > to.height) bucket.readTo = to;
  }

  clear(): void {
    this.#all.length = 0;
    this.#of.clear();
  }
}
