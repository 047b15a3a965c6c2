// Stores the bytes of each transaction and its place; everything else is parsed on demand, so that many transactions
// cost little.

import { createHash } from 'node:crypto';
import { Cell, loadTransaction } from '@ton/core';

const HASH_BYTES = 32;
const NO_TRANSACTIONS = Object.freeze([]);

/**
 * @typedef {{ account: string, lt: bigint, hash: Buffer, boc: Buffer, height: number, utime: number }} Included a transaction in a block
 */

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
    this.transactions = transactions.length === 0 ? NO_TRANSACTIONS : [...transactions].sort(byAccount);
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

  /** Another block in its place, as on a fork. */
  renamed() {
    return new Block({ ...this, id: this.#name('apart') });
  }

  #name(what) {
    return createHash('sha256').update(this.id).update(what).digest();
  }
}

export class Histories {
  /** @type {Map<string, Included[]>} by raw address */
  #byAccount = new Map();

  /** @param {string} account raw @param {import('@ton/core').Transaction} tx @returns {Included} */
  add(account, tx, height, utime) {
    const boc = tx.raw.toBoc();
    // Memory of its own: a slice would retain its parent buffer.
    const kept = Buffer.allocUnsafeSlow(HASH_BYTES + boc.length);
    tx.hash().copy(kept);
    boc.copy(kept, HASH_BYTES);
    const known = this.#byAccount.get(account);
    const included = Object.freeze({
      ...{ account: known?.[0]?.account ?? account, lt: tx.lt, height, utime },
      ...{ hash: kept.subarray(0, HASH_BYTES), boc: kept.subarray(HASH_BYTES) },
    });
    if (known) known.push(included);
    else this.#byAccount.set(account, [included]);
    return included;
  }

  /**
   * Newest first.
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
}

/** @param {{ account: string, lt: bigint }} a @param {{ account: string, lt: bigint }} b */
export function byAccount(a, b) {
  if (a.account !== b.account) return a.account < b.account ? -1 : 1;
  return a.lt < b.lt ? -1 : 1;
}

/**
 * @param {Included} one @param {{ source: string, destination: string, createdLt: bigint }} message raw addresses
 * @param {'result' | 'source'} which the transaction that it started, or that sent it
 */
export function hasMessage(one, which, { source, destination, createdLt }) {
  const { inMessage, outMessages } = read(one);
  const candidates = which === 'result' ? [inMessage] : outMessages.values();
  return candidates.some(
    (message) =>
      message?.info.type === 'internal' &&
      message.info.createdLt === createdLt &&
      message.info.src.toRawString() === source &&
      message.info.dest.toRawString() === destination,
  );
}

/** @param {Included} one */
export function read({ boc }) {
  return loadTransaction(Cell.fromBoc(boc)[0].beginParse());
}

/**
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
