import type { DepositObservation, UnixMs } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { outpointOf } from '../funding-key.js';
import type { RawTransaction } from '../raw/transaction.js';
import { ask, blockHash, OddTransaction, poolEntry, transaction, ViewMoved } from '../rpc/node.js';
import { prevouts } from '../rpc/prevouts.js';
import { spentBy, vanishedDeposits } from './block-deposits.js';
import { type Cursor, tip, type Waiting } from './cursor.js';
import type { Pool } from './pool.js';
import { type DepositReading, mayDeposit, readDeposits } from './read-deposits.js';

export interface SightingDeps extends DepositReading {
  readonly pool: Pool;
  /** A deposit that no pool had for this long is given up; should it land all the same, it comes back. Milliseconds. */
  readonly forgetMs: number;
}

/** Transactions of the pool that are no deposits, or are told of when they are in a block. */
export type Dismissed = WeakSet<RawTransaction>;

export interface Sightings {
  readonly deposits: readonly DepositObservation[];
  readonly waiting: readonly Waiting[];
  /** Something could not be told yet. */
  readonly unfinished: boolean;
}

/** More are told of when they are in a block: anybody can fill a pool, and the cursor is written with every batch. */
const MOST_WAITING = 200;
/** Outputs that a told deposit may depend on. */
const MOST_NEEDS = 100;

/**
 * What the pool tells that the cursor does not have.
 *
 * Invariant: a deposit in a processed block is never told to wait. The node is asked whether its chain has the processed
 * tip, and after that whether the transaction is in its pool: what is in its pool then is not on that chain.
 *
 * A deposit that leaves the pool has not vanished by that: nodes forget and restart, and a better paid rival need not land.
 * It has once a block spends what it needs (`readBlock`), or nobody had it for long.
 *
 * One that takes the place of a told deposit of the same order, as wallets do to pay more, is told when it is in a block: the
 * first one vanishes in that block, and the order is not funded twice meanwhile.
 */
export async function lookAtPool(
  deps: SightingDeps,
  provider: Provider,
  cursor: Cursor,
  dismissed: Dismissed,
  now: UnixMs,
): Promise<Sightings> {
  const { pool, forgetMs } = deps;
  if (pool.reading !== provider) return { deposits: [], waiting: cursor.waiting, unfinished: false };
  const isWhole = pool.provider === provider;
  const seen = cursor.waiting.map((one) => {
    if (one.rival !== null) return one;
    if (pool.entries.has(one.txid)) return one.absentSince === null ? one : { ...one, absentSince: null };
    return one.absentSince === null && isWhole ? { ...one, absentSince: now } : one;
  });
  const isForgotten = ({ absentSince }: Waiting): boolean => absentSince !== null && now - absentSince > forgetMs;
  const waiting = seen.filter((one) => !isForgotten(one));
  const known = new Set(waiting.map(({ txid }) => txid));
  const news: RawTransaction[] = [];
  for (const { tx } of pool.entries.values()) {
    if (known.size + news.length >= MOST_WAITING) break;
    if (!known.has(tx.txid) && !dismissed.has(tx) && mayDeposit(deps, tx)) news.push(tx);
  }
  const told = news.length === 0 ? [] : await tell(deps, provider, cursor, news);
  const fresh: Told[] = [];
  for (const [n, one] of told.entries()) {
    if (one === 'later') continue;
    if (one !== 'never' && !replaces(one.wait, waiting)) fresh.push(one);
    else dismissed.add(news[n] as RawTransaction);
  }
  return {
    deposits: [
      ...seen.filter(isForgotten).flatMap((one) => vanishedDeposits(deps, one)),
      ...fresh.flatMap(({ deposits }) => deposits),
    ],
    waiting: [...waiting, ...fresh.map(({ wait }) => wait)],
    unfinished: told.includes('later'),
  };
}

interface Told {
  readonly deposits: readonly DepositObservation[];
  readonly wait: Waiting;
}

/** One answer for each, in their order. */
async function tell(
  deps: SightingDeps,
  provider: Provider,
  cursor: Cursor,
  news: readonly RawTransaction[],
): Promise<readonly (Told | 'never' | 'later')[]> {
  const { height, id } = tip(cursor);
  // Another head comes, and with it another look.
  if ((await blockHash(provider, height)) !== id) return news.map(() => 'later');
  return Promise.all(news.map((tx) => tellOne(deps, provider, tx)));
}

async function tellOne(deps: SightingDeps, provider: Provider, tx: RawTransaction): Promise<Told | 'never' | 'later'> {
  try {
    const [deposits, entry] = await Promise.all([
      prevouts(provider, tx, null).then((spent) => readDeposits(deps, tx, spent, { state: 'mempool', block: null })),
      poolEntry(provider, tx.txid),
    ]);
    if (deposits.length === 0) return 'never';
    if (entry === undefined) return 'later';
    const family = entry.depends.length === 0 ? [] : await ancestorsOf(provider, tx.txid);
    const needs = [...new Set([tx, ...family].flatMap(spentBy))];
    if (needs.length > MOST_NEEDS) return 'never';
    // Asked once more: while it is there, so is all that it descends from.
    if (family.length > 0 && (await poolEntry(provider, tx.txid)) === undefined) return 'later';
    const vouts = deposits.map(({ chainId, fundingKey }) => outpointOf(chainId, fundingKey)?.vout ?? 0);
    const orderId = deposits.find((one) => one.orderId !== null)?.orderId ?? null;
    const names = family.map(({ txid }) => txid);
    return { deposits, wait: { txid: tx.txid, vouts, orderId, needs, family: names, absentSince: null, rival: null } };
  } catch (error) {
    if (error instanceof OddTransaction) return 'never';
    // Gone meanwhile, or an index is behind.
    if (error instanceof RpcError || error instanceof ViewMoved) return 'later';
    throw error;
  }
}

/** What waits and must land before it. */
async function ancestorsOf(provider: Provider, txid: string): Promise<readonly RawTransaction[]> {
  const names = await ask<readonly string[]>(provider, 'getmempoolancestors', [txid]);
  const found = await Promise.all(names.map((name) => transaction(provider, name)));
  if (found.includes(undefined)) throw new ViewMoved(`what ${txid} descends from is gone`);
  return found.flatMap((one) => one ?? []);
}

function replaces({ orderId, needs }: Waiting, waiting: readonly Waiting[]): boolean {
  return waiting.some(
    (before) => orderId !== null && before.orderId === orderId && before.needs.some((one) => needs.includes(one)),
  );
}
