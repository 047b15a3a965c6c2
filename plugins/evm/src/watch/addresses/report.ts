import type { BlockRef, DepositObservation, Hex } from '@causeway/core';
import { isTransportError, RpcError } from '@causeway/core/rpc';
import { NATIVE } from '../../addresses.js';
import { type Range, rangeKey } from '../../deposit-addresses/funding-key.js';
import type { Head } from '../heads.js';
import { headRef } from '../heads.js';
import { BlockRefs } from './block-refs.js';
import { CATCH_UP_BLOCKS, coinPayments, SEEN_BLOCKS } from './coin-payments.js';
import type { HeldBack, Patience } from './held-back.js';
import { type InnerPayments, TRACED_BLOCKS } from './inner-payments.js';
import { type Account, type AddressLedger, type Known, uncovered } from './ledger.js';
import { piecesOf } from './pieces.js';
import { searchCoin } from './search-coin.js';
import { accountKey, type Shown } from './shown.js';
import { shownTokens, type TokenTransfer, tokenTransfers } from './token-transfers.js';

/** An account whose cumulative sum exceeds the known transfers. */
export interface News extends Account {
  /** Cumulative sum at the head, smallest unit. */
  readonly arrived: bigint;
  /** Block after which the new transfers arrived. */
  readonly from: number;
  /** The address was never read before, or the arrival waits for its transaction. */
  readonly isFirst?: boolean;
}

type Searched = Pick<News, 'address' | 'currency' | 'from' | 'isFirst'>;

export interface Reporting {
  readonly chainId: number;
  readonly tokens: readonly Hex[];
  readonly ledger: AddressLedger;
  readonly factory: Hex;
  readonly held: HeldBack;
  readonly inner: InnerPayments;
}

export interface InHand {
  readonly transfers: readonly TokenTransfer[];
  readonly paid?: ReadonlyMap<string, readonly Shown[]>;
}

/** Maximum observations of one report; third parties can send any number of transfers. */
const MAX_PIECES = 2_000;
const MAX_PIECES_PER_ADDRESS = 50;
/** Maximum accounts whose arrivals are searched in past blocks. */
const MAX_SEARCHED = 4;
const NOTHING_SHOWN: ReadonlyMap<string, readonly Shown[]> = new Map();
const NOTHING_TRACED: ReadonlyMap<News, readonly Shown[] | 'late'> = new Map();
/** Addresses of one log query. */
const MAX_TOPICS = 1_000;

/**
 * New arrivals as observations, which are then in the ledger. A transfer without a shown transaction is reported at the
 * head; after a wait (`patienceFor`).
 *
 * @param inHand evidence that was read already.
 * @param needed Failures to read the rest are thrown.
 */
export async function report(
  reporting: Reporting,
  news: readonly News[],
  inHand: InHand,
  head: Head,
  finalized: BlockRef,
  needed: boolean,
): Promise<readonly DepositObservation[]> {
  if (news.length === 0) return [];
  const { ledger, chainId, held } = reporting;
  const shown = await evidenceOf(reporting, news, inHand, head).catch((error: unknown) => {
    if (needed || !(isTransportError(error) || error instanceof RpcError)) throw error;
    return NOTHING_SHOWN;
  });
  const most = Math.min(MAX_PIECES_PER_ADDRESS, Math.max(1, Math.floor(MAX_PIECES / news.length)));
  const searched = await searchedOf(reporting, news, shown, head);
  const traced = needed ? await tracedOf(reporting, news, shown, head) : NOTHING_TRACED;
  return news.flatMap((one) => {
    const gaps = uncovered(ledger.known(one), one.arrived);
    const trace = traced.get(one);
    const fresh = Array.isArray(trace) ? trace : (searched.get(one) ?? newest(reporting, one, shown));
    if (needed && trace !== 'late' && isUnshown(gaps, fresh) && held.hold(one, head.height, patienceFor(one)))
      return [];
    held.release(one);
    const pieces = gaps.flatMap((gap) => piecesOf(gap, gaps.length === 1 ? fresh : [], most));
    const added = pieces.map(({ from, to, shown: by }): Known => {
      const block = by?.block ?? headRef(head);
      const isFinal = block.height <= finalized.height;
      const { transactionHash = '', depositor = '' } = by ?? {};
      return { from, to, height: block.height, block, isFinal, transactionHash, depositor };
    });
    ledger.add(one, added);
    return added.map((transfer) => observationOf(chainId, one, transfer, transfer.block ?? headRef(head)));
  });
}

/**
 * Events of tokens may lag behind the state. Coin paid by a contract has no event at all; and a node may answer with the state of a
 * block in the making, whose transactions it does not show yet: most likely for an address that was just quoted, and is
 * read for the first time.
 */
function patienceFor({ currency, isFirst }: Pick<News, 'currency' | 'isFirst'>): Patience {
  return currency !== NATIVE || isFirst === true ? 'next block' : 'brief';
}

/** Whether less is shown than arrived: every usual token has logs, but a provider's logs may lag behind its state. */
function isUnshown(gaps: readonly Range[], shown: readonly Shown[]): boolean {
  return sumOf(shown.filter(({ transactionHash }) => transactionHash !== '')) < sizeOf(gaps);
}

/** Shown transfers that are newer than the known ones of the account. */
function newest({ ledger }: Reporting, one: News, shown: ReadonlyMap<string, readonly Shown[]>): readonly Shown[] {
  const since = ledger.known(one).reduce((last, { height }) => Math.max(last, height), -1);
  return (shown.get(accountKey(one)) ?? []).filter(({ block }) => block.height > since);
}

/** Native payments from before the searched blocks, for a few accounts. */
async function searchedOf(
  reporting: Reporting,
  news: readonly News[],
  shown: ReadonlyMap<string, readonly Shown[]>,
  head: Head,
): Promise<ReadonlyMap<News, readonly Shown[]>> {
  const { ledger, factory } = reporting;
  const found = new Map<News, readonly Shown[]>();
  for (const one of news) {
    if (found.size === MAX_SEARCHED) break;
    const [gap, ...more] = uncovered(ledger.known(one), one.arrived);
    if (
      one.currency !== NATIVE ||
      head.height - one.from <= searchedBlocks(one) ||
      gap === undefined ||
      more.length > 0
    )
      continue;
    if (piecesOf(gap, newest(reporting, one, shown)).every((piece) => piece.shown !== undefined)) continue;
    const since = ledger.known(one).reduce((last, { height }) => Math.max(last, height), one.from);
    const payments = await searchCoin(head, factory, one.address, gap, since);
    found.set(one, payments);
  }
  return new Map([...found].filter(([, payments]) => payments.length > 0));
}

/**
 * Native payments that only traces show, where they equal what arrived; `late` where no more should be waited for.
 *
 * Invariant: only of blocks after one that this watcher read. After a restore, a transfer of an older block must stay without
 * a transaction, because the ledger that was lost may have divided the sum differently, and an operator decides on it.
 */
async function tracedOf(
  reporting: Reporting,
  news: readonly News[],
  shown: ReadonlyMap<string, readonly Shown[]>,
  head: Head,
): Promise<ReadonlyMap<News, readonly Shown[] | 'late'>> {
  const { ledger, inner } = reporting;
  const found = new Map<News, readonly Shown[] | 'late'>();
  for (const one of news) {
    // guard: evm-traced-since-read
    if (head.height - one.from > TRACED_BLOCKS) continue;
    if (one.currency !== NATIVE) continue;
    const known = ledger.known(one);
    const gaps = uncovered(known, one.arrived);
    if (gaps.length !== 1 || !isUnshown(gaps, newest(reporting, one, shown))) continue;
    const traced = await inner.after(one.from, head);
    if (traced === 'late') found.set(one, traced);
    if (traced === 'late' || traced === undefined) continue;
    const payments = traced.get(one.address) ?? [];
    const hashes = new Set(known.map(({ transactionHash }) => transactionHash));
    const fresh = payments.filter(({ transactionHash }) => !hashes.has(transactionHash));
    if (sumOf(fresh) === sizeOf(gaps)) found.set(one, fresh);
  }
  return found;
}

function sizeOf(gaps: readonly Range[]): bigint {
  return gaps.reduce((sum, { from, to }) => sum + to - from, 0n);
}

function sumOf(transfers: readonly Pick<Shown, 'amount'>[]): bigint {
  return transfers.reduce((sum, { amount }) => sum + amount, 0n);
}

export function observationOf(
  chainId: number,
  { address, currency }: Account,
  { from, to, transactionHash, depositor, isFinal }: Known,
  block: BlockRef,
): DepositObservation {
  return {
    fundingKey: rangeKey(chainId, { address, currency, from, to }),
    ...{ chainId, transactionHash, currency, amount: to - from, depositor },
    ...{ orderId: null, depositAddress: address },
    state: isFinal ? 'final' : 'included',
    block,
  };
}

/** Transfers that the chain shows, by account. */
export async function evidenceOf(
  { tokens }: Pick<Reporting, 'tokens'>,
  news: readonly Searched[],
  { transfers, paid: known = new Map() }: InHand,
  head: Head,
): Promise<ReadonlyMap<string, readonly Shown[]>> {
  const coins = news.filter((one) => one.currency === NATIVE && !known.has(accountKey(one)));
  const read = new Set(transfers.map(({ to, token }) => accountKey({ address: to, currency: token })));
  const others = news.filter((one) => one.currency !== NATIVE && !read.has(accountKey(one)));
  const refs = new BlockRefs(head);
  const [paid, more] = await Promise.all([
    coins.length === 0
      ? new Map<string, readonly Shown[]>()
      : coinPayments(new Set(coins.map(({ address }) => address)), { from: searchedFrom(coins, head), head }),
    transfersOf(tokens, others, head),
  ]);
  return new Map([...known, ...paid, ...(await shownTokens(transfers, refs)), ...(await shownTokens(more, refs))]);
}

/** Token transfers by one query; the rest of very many is reported without transactions. */
async function transfersOf(
  tokens: readonly Hex[],
  news: readonly Pick<News, 'address' | 'currency' | 'from'>[],
  head: Head,
): Promise<readonly TokenTransfer[]> {
  if (news.length === 0) return [];
  const wanted = new Set(news.map(({ currency }) => currency));
  const addresses = [...new Set(news.map(({ address }) => address))].slice(0, MAX_TOPICS);
  const asked = tokens.filter((token) => wanted.has(token));
  return (await tokenTransfers(head.provider, asked, addresses, { from: oldest(news), head })) ?? [];
}

/** First block's parent: of each account, its blocks since it was read, as many as `searchedBlocks`. */
function searchedFrom(coins: readonly Searched[], { height }: Head): number {
  return oldest(coins.map((one) => ({ from: Math.max(one.from, height - searchedBlocks(one)) })));
}

/** Few for addresses that any client requested and paid first: these are looked for at every head. */
function searchedBlocks({ isFirst = false }: Pick<News, 'isFirst'>): number {
  return isFirst ? SEEN_BLOCKS : CATCH_UP_BLOCKS;
}

function oldest(news: readonly Pick<News, 'from'>[]): number {
  return news.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY);
}
