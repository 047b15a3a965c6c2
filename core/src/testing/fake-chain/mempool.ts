import type { Rules } from './rules.js';
import type { FakeTransaction } from './transaction.js';

/** Replacements need fee fields a tenth higher. */
const MIN_RAISE = 11n;

export class Mempool {
  readonly #rules: Rules;
  readonly #most: number;
  readonly #waiting = new Map<string, FakeTransaction>();
  readonly #byLock = new Map<string, string>();

  /** @param most capacity; the worst paid is evicted. */
  constructor(rules: Rules, most: number) {
    this.#rules = rules;
    this.#most = most;
  }

  get size(): number {
    return this.#waiting.size;
  }

  all(): IterableIterator<FakeTransaction> {
    return this.#waiting.values();
  }

  has(hash: string): boolean {
    return this.#waiting.has(hash);
  }

  get(hash: string): FakeTransaction | undefined {
    return this.#waiting.get(hash);
  }

  holder(lock: string): FakeTransaction | undefined {
    const hash = this.#byLock.get(lock);
    return hash === undefined ? undefined : this.#waiting.get(hash);
  }

  /** False when a rival pays as well or a full pool pays more. */
  add(transaction: FakeTransaction): boolean {
    if (this.#waiting.has(transaction.hash)) return true;
    const locks = this.#rules.locks(transaction);
    if (this.#rules.rivals === 'outbid') {
      const rivals = new Set(locks.flatMap((lock) => this.holder(lock) ?? []));
      for (const rival of rivals) if (!outbids(transaction, rival)) return false;
      for (const rival of rivals) this.remove(rival.hash);
    }
    this.#waiting.set(transaction.hash, transaction);
    for (const lock of locks) this.#byLock.set(lock, transaction.hash);
    if (this.#waiting.size > this.#most) this.#forgetWorst();
    return this.#waiting.has(transaction.hash);
  }

  #forgetWorst(): void {
    let worst: FakeTransaction | undefined;
    for (const waiting of this.#waiting.values()) {
      if (worst === undefined || waiting.price < worst.price) worst = waiting;
    }
    if (worst !== undefined) this.remove(worst.hash);
  }

  remove(hash: string): boolean {
    const transaction = this.#waiting.get(hash);
    if (transaction === undefined) return false;
    this.#waiting.delete(hash);
    for (const lock of this.#rules.locks(transaction)) {
      if (this.#byLock.get(lock) === hash) this.#byLock.delete(lock);
    }
    return true;
  }
}

function outbids(transaction: FakeTransaction, rival: FakeTransaction): boolean {
  return transaction.price * 10n >= rival.price * MIN_RAISE && transaction.tip * 10n >= rival.tip * MIN_RAISE;
}
