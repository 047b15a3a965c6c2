import type { Rules } from './rules.js';
import type { FakeTransaction } from './transaction.js';

/** Fee fields must rise by a tenth to take a rival's place. */
const LEAST_RAISE = 11n;

/** Transactions that wait for inclusion. */
export class Mempool {
  readonly #rules: Rules;
  readonly #waiting = new Map<string, FakeTransaction>();
  readonly #byLock = new Map<string, string>();
  /** Changes with every change. */
  version = 0;

  constructor(rules: Rules) {
    this.#rules = rules;
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

  /** The transaction that waits with a lock. */
  holder(lock: string): FakeTransaction | undefined {
    const hash = this.#byLock.get(lock);
    return hash === undefined ? undefined : this.#waiting.get(hash);
  }

  /** False when a rival that pays as well holds its place. */
  add(transaction: FakeTransaction): boolean {
    if (this.#waiting.has(transaction.hash)) return true;
    const locks = this.#rules.locks(transaction);
    if (this.#rules.rivals === 'outbid') {
      const rivals = new Set(locks.flatMap((lock) => this.holder(lock) ?? []));
      for (const rival of rivals) if (!outbids(transaction, rival)) return false;
      for (const rival of rivals) this.remove(rival.hash);
    }
    this.version += 1;
    this.#waiting.set(transaction.hash, transaction);
    for (const lock of locks) this.#byLock.set(lock, transaction.hash);
    return true;
  }

  remove(hash: string): boolean {
    const transaction = this.#waiting.get(hash);
    if (transaction === undefined) return false;
    this.version += 1;
    this.#waiting.delete(hash);
    for (const lock of this.#rules.locks(transaction)) {
      if (this.#byLock.get(lock) === hash) this.#byLock.delete(lock);
    }
    return true;
  }
}

function outbids(transaction: FakeTransaction, rival: FakeTransaction): boolean {
  return transaction.price * 10n >= rival.price * LEAST_RAISE && transaction.tip * 10n >= rival.tip * LEAST_RAISE;
}
