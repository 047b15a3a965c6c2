// What is in blocks, kept so that many transactions cost little: the bytes of each, and where it is found. Everything else is read from
// the bytes when somebody asks.

import { createHash } from 'node:crypto';
import { Cell, loadTransaction } from '@ton/core';

const HASH_BYTES = 32;
const NOTHING = Object.freeze([]);

/**
 * @typedef {{ account: string, lt: bigint, hash: Buffer, boc: Buffer, height: number, utime: number }} Included a transaction in a block
 */

/** A block of the masterchain and the one of the workchain that it covers, of one number. */
export class Block {
  /**
   * @param {{ height: number, id: Buffer, utime: number, startLt: bigint, shardEndLt: bigint, endLt: bigint,
   *   transactions: readonly Included[] }} parts
   */
  constructor({ height, id, utime, startLt, shardEndLt, endLt, transactions }) {
    this.height = height;
    this.id = id;
    this.utime = utime;
    this.startLt = startLt;
    this.shardEndLt = shardEndLt;
    this.endLt = endLt;
    this.transactions = transactions.length === 0 ? NOTHING : transactions;
    Object.freeze(this);
  }

  get fileId() {
    return this.#name('file');
  }

  get shardId() {
    return this.#name('shard');
  }

  get shardFileId() {
    return this.#name('shard file');
  }

  /** Another block in its place. */
  renamed() {
    return new Block({ ...this, id: this.#name('apart') });
  }

  #name(what) {
    return createHash('sha256').update(this.id).update(what).digest();
  }
}

/** Transactions of each account, oldest first: their logical times only grow. */
export class Histories {
  /** @type {Map<string, Included[]>} by raw address */
  #byAccount = new Map();

  /** @param {string} account raw @param {import('@ton/core').Transaction} tx @returns {Included} */
  add(account, tx, height, utime) {
    const boc = tx.raw.toBoc();
    // In memory of its own: a slice would keep whatever it was cut from.
    const kept = Buffer.allocUnsafeSlow(HASH_BYTES + boc.length);
    tx.hash().copy(kept);
    boc.copy(kept, HASH_BYTES);
    const known = this.#byAccount.get(account);
    const included = Object.freeze({
      // One text for all transactions of an account.
      ...{ account: known?.[0]?.account ?? account, lt: tx.lt, height, utime },
      ...{ hash: kept.subarray(0, HASH_BYTES), boc: kept.subarray(HASH_BYTES) },
    });
    if (known) known.push(included);
    else this.#byAccount.set(account, [included]);
    return included;
  }

  /**
   * Newest first, as a provider knows them that has blocks up to this height.
   *
   * @param {bigint | undefined} lt the first of them; undefined: the newest.
   * @returns {Included[]} empty where there is none of that logical time.
   */
  page(account, height, lt, count) {
    const all = this.#byAccount.get(account) ?? [];
    const end = firstAt(all, (one) => one.height > height || (lt !== undefined && one.lt > lt));
    if (lt !== undefined && all[end - 1]?.lt !== lt) return [];
    return all.slice(Math.max(0, end - count), end).reverse();
  }

  /** The transaction that a message between accounts started. @returns {Included | undefined} */
  startedBy(account, source, createdLt, height) {
    const all = this.#byAccount.get(account) ?? [];
    for (let n = firstAt(all, ({ lt }) => lt > createdLt); n < all.length && all[n].height <= height; n += 1) {
      const info = read(all[n]).inMessage?.info;
      if (info?.type === 'internal' && info.createdLt === createdLt && info.src.toRawString() === source) return all[n];
    }
    return undefined;
  }

  /** The transaction that sent a message: what it sends is numbered from its own logical time on. @returns {Included | undefined} */
  senderOf(account, destination, createdLt, height) {
    const all = this.#byAccount.get(account) ?? [];
    const one = all[firstAt(all, ({ lt }) => lt > createdLt) - 1];
    if (one === undefined || one.height > height) return undefined;
    const isIt = ({ info }) =>
      info.type === 'internal' && info.createdLt === createdLt && info.dest.toRawString() === destination;
    return read(one).outMessages.values().some(isIt) ? one : undefined;
  }
}

/** @param {Included} one */
export function read({ boc }) {
  return loadTransaction(Cell.fromBoc(boc)[0].beginParse());
}

/**
 * Place of the first element that is past something; the length where none is.
 *
 * @template T @param {readonly T[]} sorted all that are past it stand behind all that are not
 * @param {(one: T) => boolean} isPast
 */
export function firstAt(sorted, isPast) {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isPast(sorted[middle])) to = middle;
    else from = middle + 1;
  }
  return from;
}
