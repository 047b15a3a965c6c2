import type { DepositObservation, UnixMs } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { outpointsOf } from '../funding-key.js';
import type { RawTransaction } from '../raw/transaction.js';
import { ask, blockHash, OddTransaction, poolEntry, transaction, ViewMoved } from '../rpc/node.js';
import { prevouts } from '../rpc/prevouts.js';
import { spentBy, vanishedDeposits } from './block-deposits.js';
import {
  ASK_INTERVAL_MS,
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
  /** Milliseconds without a mempool after which a deposit is dropped; it reappears if it confirms. */
  readonly forgetMs: number;
}

export interface Sightings {
  readonly deposits: readonly DepositObservation[];
  readonly waiting: readonly Waiting[];
  /** Milliseconds until a retry without other changes; null: none. */
  readonly againMs: number | null;
}

/** Further ones are reported once in a block: anyone can fill a mempool, and each batch writes the cursor. */
const MAX_WAITING_TRANSACTIONS = 200;
/** Outputs that a reported deposit may depend on. */
const MAX_ANCESTORS_READ = 100;
/** Deposits of one transaction, each of which the cursor names. */
const MAX_DEPOSITS = 50;
/** Retry delay for an unreadable mempool transaction, e.g. one just replaced. */
const RETRY_DELAY_MS = 200;

/**
 * Mempool changes relative to the cursor.
 *
 * Invariant: a deposit in a processed block is never reported as waiting. The node must have the processed tip on its
 * chain, and after that the transaction in its mempool, which excludes that chain.
 *
 * Leaving the mempool is not vanishing: nodes drop transactions and restart, and a replacement may never confirm. A
 * deposit vanishes once a block spends what it needs (`readBlock`), or after a long absence from every mempool.
 *
 * When all places are taken, higher priority displaces lower (`compareStandings`). A displaced deposit is not
 * reported as vanished, since it may confirm: it is reported again in its block, or when a place is free. If it never
 * confirms, its request ends like that of any unconfirmed deposit.
 *
 * A replacement of a reported deposit of the same order, or of one to a deposit address (fee bump), is reported in its
 * block, in which the first vanishes, so the order is never funded twice. The same holds for any conflict with a
 * reported deposit while places are scarce: a single coin could otherwise take them all in turn.
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
  const scarce = waiting.length + found.length > MAX_WAITING_TRANSACTIONS;
  const before = scarce ? await standings(deps, waiting) : new Map<Waiting, Standing>();
  const chosen = scarce ? placed([...before.values()], found) : found;
  const reported = chosen.length === 0 ? [] : await report(deps, provider, cursor, chosen);
  const fresh: Fresh[] = [];
  for (const [n, one] of reported.entries()) {
    const { tx, standing } = chosen[n] as Candidate;
    if (one === 'later') continue;
    if (one === 'never' || replaces(one, waiting)) dismissed.add(tx);
    else if (scarce && isRival(one.wait, waiting)) dismissed.add(tx, now + ASK_INTERVAL_MS);
    else fresh.push({ ...one, standing });
  }
  const kept = scarce ? keepers(before, fresh) : new Set([...waiting, ...fresh.map(({ wait }) => wait)]);
  return {
    deposits: [
      ...seen.filter(isForgotten).flatMap((one) => vanishedDeposits(deps, one)),
      ...fresh.flatMap(({ wait, deposits }) => (kept.has(wait) ? deposits : [])),
    ],
    waiting: [...waiting, ...fresh.map(({ wait }) => wait)].filter((one) => kept.has(one)),
    againMs:
      reported.includes('later') || more ? RETRY_DELAY_MS : notBefore(RETRY_DELAY_MS, dismissed.endsIn(pool, now)),
  };
}

function notBefore(least: number, ms: number | null): number | null {
  return ms === null ? null : Math.max(least, ms);
}

interface Fresh extends Reported {
  readonly standing: Standing;
}

function placed(taken: readonly Standing[], found: readonly Candidate[]): readonly Candidate[] {
  const all = [...taken.map((standing) => ({ standing, one: undefined })), ...found.map((one) => ({ ...one, one }))];
  all.sort((a, b) => compareStandings(a.standing, b.standing));
  return all.slice(0, MAX_WAITING_TRANSACTIONS).flatMap(({ one }) => one ?? []);
}

function keepers(before: ReadonlyMap<Waiting, Standing>, fresh: readonly Fresh[]): ReadonlySet<Waiting> {
  const all = [...before, ...fresh.map(({ wait, standing }) => [wait, standing] as const)];
  all.sort(([, a], [, b]) => compareStandings(a, b));
  return new Set(all.slice(0, MAX_WAITING_TRANSACTIONS).map(([wait]) => wait));
}

interface Reported {
  readonly deposits: readonly DepositObservation[];
  readonly wait: Waiting;
  /** By each of `Waiting.needs`: the transaction that spends it, itself or an ancestor. */
  readonly spenders: ReadonlyMap<string, string>;
}

async function report(
  deps: SightingDeps,
  provider: Provider,
  cursor: Cursor,
  news: readonly Candidate[],
): Promise<readonly (Reported | 'never' | 'later')[]> {
  const { height, id } = tip(cursor);
  if ((await blockHash(provider, height)) !== id) return news.map(() => 'later');
  return Promise.all(news.map((one) => reportOne(deps, provider, one)));
}

async function reportOne(
  deps: SightingDeps,
  provider: Provider,
  { tx, amount, orderId, addressed }: Candidate,
): Promise<Reported | 'never' | 'later'> {
  try {
    const [deposits, entry] = await Promise.all([
      prevouts(provider, tx, null).then((spent) => readDeposits(deps, tx, spent, { state: 'mempool', block: null })),
      poolEntry(provider, tx.txid),
    ]);
    if (deposits.length === 0 || deposits.length > MAX_DEPOSITS) return 'never';
    if (entry === undefined) return 'later';
    const family = entry.depends.length === 0 ? [] : await ancestorsOf(provider, tx.txid);
    const spenders = new Map([tx, ...family].flatMap((one) => spentBy(one).map((spent) => [spent, one.txid] as const)));
    const needs = [...spenders.keys()];
    if (needs.length > MAX_ANCESTORS_READ) return 'never';
    // Checked again: while it is in the mempool, so are its ancestors.
    if (family.length > 0 && (await poolEntry(provider, tx.txid)) === undefined) return 'later';
    const vouts = deposits.map(({ chainId, fundingKey }) =>
      (outpointsOf(chainId, fundingKey) ?? []).map(({ vout }) => vout),
    );
    const names = family.map(({ txid }) => txid);
    const claim = { orderId, addressed, amount };
    const wait = { txid: tx.txid, vouts, ...claim, needs, family: names, absentSince: null, rival: null };
    return { deposits, wait, spenders };
  } catch (error) {
    if (error instanceof OddTransaction) return 'never';
    // The transaction was removed in between, or the index lags.
    if (error instanceof RpcError || error instanceof ViewMoved) return 'later';
    throw error;
  }
}

/** Unconfirmed ancestors. */
async function ancestorsOf(provider: Provider, txid: string): Promise<readonly RawTransaction[]> {
  const names = await ask<readonly string[]>(provider, 'getmempoolancestors', [txid]);
  const found = await Promise.all(names.map((name) => transaction(provider, name)));
  if (found.includes(undefined)) throw new ViewMoved(`what ${txid} descends from is gone`);
  return found.flatMap((one) => one ?? []);
}

/**
 * Whether it conflicts with a waiting one of the same order or, if it pays a deposit address, with any that pays one.
 */
function replaces({ wait, spenders }: Reported, waiting: readonly Waiting[]): boolean {
  const { orderId, addressed } = wait;
  const alike = waiting.filter((before) => orderId !== null && before.orderId === orderId);
  return isRival(wait, alike) || (addressed && waiting.some((one) => one.addressed && excludes(spenders, one)));
}

/** Conflicts, or is a relative: one coin could otherwise take many places. */
function isRival({ needs }: Waiting, waiting: readonly Waiting[]): boolean {
  const own = new Set(needs);
  return waiting.some((before) => before.needs.some((one) => own.has(one)));
}

/** Relatives share needs, and may all confirm: custodians pay in chains. */
function excludes(spenders: Reported['spenders'], { txid, needs, family }: Waiting): boolean {
  return needs.some((spent) => {
    const spender = spenders.get(spent);
    return spender !== undefined && spender !== txid && !family.includes(spender);
  });
}
