import type { DepositObservation, UnixMs } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { outpointsOf } from '../funding-key.js';
import type { RawTransaction } from '../raw/transaction.js';
import { ask, blockHash, OddTransaction, poolEntry, transaction, ViewMoved } from '../rpc/node.js';
import { prevouts } from '../rpc/prevouts.js';
import { spentBy, vanishedDeposits } from './block-deposits.js';
import {
  ASK_AGAIN_MS,
  type Candidate,
  type CandidateDeps,
  candidates,
  compareStandings,
  type Dismissed,
  type Standing,
  standings,
} from './candidates.js';
import { type Cursor, tip, type Waiting } from './cursor.js';
import { readDeposits } from './read-deposits.js';

export interface SightingDeps extends CandidateDeps {
  /** A deposit that no pool had for this long is given up; should it land all the same, it comes back. Milliseconds. */
  readonly forgetMs: number;
}

export interface Sightings {
  readonly deposits: readonly DepositObservation[];
  readonly waiting: readonly Waiting[];
  /** Something could not be told yet: when to look again, though nothing changes. Milliseconds; null: no need. */
  readonly againMs: number | null;
}

/** More are told of when they are in a block: anybody can fill a pool, and the cursor is written with every batch. */
const MOST_WAITING = 200;
/** Outputs that a told deposit may depend on. */
const MOST_NEEDS = 100;
/** Pause before a pool transaction that could not be read, for example because it was just replaced, is asked for again. */
const AGAIN_MS = 200;

/**
 * What the pool tells that the cursor does not have.
 *
 * Invariant: a deposit in a processed block is never told to wait. The node is asked whether its chain has the processed
 * tip, and after that whether the transaction is in its pool: what is in its pool then is not on that chain.
 *
 * A deposit that leaves the pool has not vanished by that: nodes forget and restart, and a better paid rival need not land.
 * It has once a block spends what it needs (`readBlock`), or nobody had it for long.
 *
 * Once all places are taken, what is more important takes them over (`compareStandings`). Who loses its place is not told to
 * have vanished, since it may land like any other: it is told again in its block, or while it waits once there is room.
 * Should it never land, its request ends as that of any deposit that nobody confirms.
 *
 * One that takes the place of a told deposit of the same order, as wallets do to pay more, is told when it is in a block: the
 * first one vanishes in that block, and the order is not funded twice meanwhile. So is any rival of a told one while places
 * are scarce, or a single coin would take them all, one after the other.
 */
export async function lookAtPool(
  deps: SightingDeps,
  provider: Provider,
  cursor: Cursor,
  dismissed: Dismissed,
  now: UnixMs,
): Promise<Sightings> {
  const { pool, forgetMs } = deps;
  if (pool.reading !== provider) return { deposits: [], waiting: cursor.waiting, againMs: null };
  const isWhole = pool.provider === provider;
  const seen = cursor.waiting.map((one) => {
    if (one.rival !== null) return one;
    if (pool.entries.has(one.txid)) return one.absentSince === null ? one : { ...one, absentSince: null };
    return one.absentSince === null && isWhole ? { ...one, absentSince: now } : one;
  });
  const isForgotten = ({ absentSince }: Waiting): boolean => absentSince !== null && now - absentSince > forgetMs;
  const waiting = seen.filter((one) => !isForgotten(one));
  const { found, more } = await candidates(deps, dismissed, new Set(waiting.map(({ txid }) => txid)), now);
  const scarce = waiting.length + found.length > MOST_WAITING;
  const before = scarce ? await standings(deps, waiting) : new Map<Waiting, Standing>();
  const chosen = scarce ? placed([...before.values()], found) : found;
  const told = chosen.length === 0 ? [] : await tell(deps, provider, cursor, chosen);
  const fresh: Fresh[] = [];
  for (const [n, one] of told.entries()) {
    const { tx, standing } = chosen[n] as Candidate;
    if (one === 'later') continue;
    if (one === 'never' || replaces(one.wait, waiting)) dismissed.add(tx);
    else if (scarce && isRival(one.wait, waiting)) dismissed.add(tx, now + ASK_AGAIN_MS);
    else fresh.push({ ...one, standing });
  }
  const kept = scarce ? keepers(before, fresh) : new Set([...waiting, ...fresh.map(({ wait }) => wait)]);
  return {
    deposits: [
      ...seen.filter(isForgotten).flatMap((one) => vanishedDeposits(deps, one)),
      ...fresh.flatMap(({ wait, deposits }) => (kept.has(wait) ? deposits : [])),
    ],
    waiting: [...waiting, ...fresh.map(({ wait }) => wait)].filter((one) => kept.has(one)),
    againMs: told.includes('later') || more ? AGAIN_MS : notBefore(AGAIN_MS, dismissed.endsIn(pool, now)),
  };
}

function notBefore(least: number, ms: number | null): number | null {
  return ms === null ? null : Math.max(least, ms);
}

interface Fresh extends Told {
  readonly standing: Standing;
}

/** Those that would get a place beside these. Whoever has one keeps it against its like. */
function placed(taken: readonly Standing[], found: readonly Candidate[]): readonly Candidate[] {
  const all = [...taken.map((standing) => ({ standing, one: undefined })), ...found.map((one) => ({ ...one, one }))];
  all.sort((a, b) => compareStandings(a.standing, b.standing));
  return all.slice(0, MOST_WAITING).flatMap(({ one }) => one ?? []);
}

function keepers(before: ReadonlyMap<Waiting, Standing>, fresh: readonly Fresh[]): ReadonlySet<Waiting> {
  const all = [...before, ...fresh.map(({ wait, standing }) => [wait, standing] as const)];
  all.sort(([, a], [, b]) => compareStandings(a, b));
  return new Set(all.slice(0, MOST_WAITING).map(([wait]) => wait));
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
  news: readonly Candidate[],
): Promise<readonly (Told | 'never' | 'later')[]> {
  const { height, id } = tip(cursor);
  // Another head comes, and with it another look.
  if ((await blockHash(provider, height)) !== id) return news.map(() => 'later');
  return Promise.all(news.map((one) => tellOne(deps, provider, one)));
}

async function tellOne(
  deps: SightingDeps,
  provider: Provider,
  { tx, amount, orderId }: Candidate,
): Promise<Told | 'never' | 'later'> {
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
    const vouts = deposits.map(({ chainId, fundingKey }) =>
      (outpointsOf(chainId, fundingKey) ?? []).map(({ vout }) => vout),
    );
    const names = family.map(({ txid }) => txid);
    const wait = { txid: tx.txid, vouts, orderId, amount, needs, family: names, absentSince: null, rival: null };
    return { deposits, wait };
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

function replaces(wait: Waiting, waiting: readonly Waiting[]): boolean {
  const { orderId } = wait;
  return (
    orderId !== null &&
    isRival(
      wait,
      waiting.filter((before) => before.orderId === orderId),
    )
  );
}

/** It needs what another one needs. Children of one parent do, too, and may land together. */
function isRival({ needs }: Waiting, waiting: readonly Waiting[]): boolean {
  const own = new Set(needs);
  return waiting.some((before) => before.needs.some((one) => own.has(one)));
}
