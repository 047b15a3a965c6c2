import type { KeySpender, LegInstruction, LegPaid, OrderId, SentSince, UnixMs, UnixSeconds } from '@causeway/core';
import { type HttpClient, type Provider, type Providers, TransportError } from '@causeway/core/rpc';
import { filledOrders, memoOf, payments } from './effects.js';
import { type HistoryEntry, historyAbove, memosIn } from './history.js';
import { askHistory, keptAbove, keptSince } from './history-kept.js';
import { LAG_BLOCKS, mayStillLand, readPosition, VALID_BLOCKS, writePosition } from './position.js';
import type { Solver } from './transactions/build.js';
import { fetchTransaction } from './transactions/fetch.js';
import type { IncludedTransactions } from './transactions/included.js';
import { type ReadTransaction, readTransaction } from './transactions/read.js';
import { blockAt } from './watch/heads.js';

export interface SentDeps {
  readonly solver: Solver;
  readonly providers: Providers;
  readonly included: Pick<IncludedTransactions, 'get'>;
  /** Slot below which nobody is believed that something is not there. */
  floor(): number;
}

/** Where the chain stands: by it a lane knows later what was sent since. */
export async function lanePosition({ providers, floor }: SentDeps): Promise<string> {
  return providers.run(async (provider) => {
    const view = await freshView(provider, floor());
    return writePosition({ final: view.final, height: view.height });
  });
}

interface View {
  readonly slot: number;
  readonly final: number;
  readonly height: number;
  readonly finalHeight: number;
}

/** What is final first: what is read after it is at least as new. */
async function viewOf(rpc: HttpClient): Promise<View> {
  const [final, finalHeight] = await Promise.all([
    rpc.request<number>('getSlot', [{ commitment: 'finalized' }]),
    rpc.request<number>('getBlockHeight', [{ commitment: 'finalized' }]),
  ]);
  const [slot, height] = await Promise.all([
    rpc.request<number>('getSlot', [{ commitment: 'confirmed' }]),
    rpc.request<number>('getBlockHeight', [{ commitment: 'confirmed' }]),
  ]);
  return { slot, final, height, finalHeight };
}

/** @throws TransportError where the provider is behind what was seen before: what it lacks may be there. */
async function freshView({ rpc, name }: Provider, floor: number): Promise<View> {
  const view = await viewOf(rpc);
  if (view.slot < floor) throw new TransportError(`${name} lags behind at ${view.slot} of ${floor}`, 'malformed');
  return view;
}

/** See `ChainAdapter.sentSince`. */
export function sentSince(deps: SentDeps, ledger: string, start: string): Promise<SentSince> {
  const { final: known } = readPosition(ledger);
  return askHistory(deps.providers, async (provider) => {
    const view = await freshView(provider, deps.floor());
    const entries = await historyAbove(provider.rpc, deps.solver.fill, known);
    await keptAbove(provider.rpc, known);
    const sent = await Promise.all([...entries].reverse().map((entry) => spenderIn(deps, provider, entry, view.final)));
    return {
      sent: sent.flatMap((each) => each ?? []),
      pending: mayStillLand(readPosition(start), view.finalHeight),
      position: writePosition({ final: view.final, height: view.height }),
    };
  });
}

/** Undefined where the account was only touched: paid to, or read. */
async function spenderIn(
  { solver, included }: SentDeps,
  provider: Provider,
  { signature, slot }: HistoryEntry,
  final: number,
): Promise<KeySpender | undefined> {
  // The list of this moment has it in this slot: what was read of it there before is the same.
  const { transaction } = (await included.get(provider, signature, slot, false)) ?? missing(signature);
  if (transaction.payer !== solver.fill) return undefined;
  return { hash: signature, final: slot <= final, filled: filledOrders(solver, transaction) };
}

async function shown({ rpc }: Provider, signature: string): Promise<ReadTransaction> {
  const raw = await fetchTransaction(rpc, signature);
  return raw === undefined ? missing(signature) : readTransaction(raw);
}

function missing(signature: string): never {
  throw new TransportError(`${signature} is listed and not shown`, 'malformed');
}

/**
 * Proof that an order was not filled and never can be: false at a final block so far past the deadline that what was
 * signed by then has run out.
 *
 * @param since when the order began to exist: history is read back to there.
 */
export function unfilledForGood(
  deps: SentDeps,
  orderId: OrderId,
  deadline: UnixSeconds,
  since: UnixMs,
): Promise<boolean> {
  return askHistory(deps.providers, async (provider) => {
    const final = await provider.rpc.request<number>('getSlot', [{ commitment: 'finalized' }]);
    if (!(await hasRunOut(provider.rpc, final, deadline))) return false;
    return (await find(deps, provider, orderId, since)) === undefined;
  });
}

/** How far back a block past the deadline is looked for: where many slots stay empty, blocks are few. */
const SLOTS_BACK = [200, 400, 800, 1_600] as const;

/**
 * Whether a final slot is more blocks past the deadline than a message lives, and than one of several nodes behind the same
 * name may lag, which is asked for the history next. Blocks are counted, not seconds: while the
 * chain stands still, messages do not age.
 */
async function hasRunOut(rpc: HttpClient, final: number, deadline: UnixSeconds): Promise<boolean> {
  const end = await blockFrom(rpc, final);
  for (const back of SLOTS_BACK) {
    if (end === undefined || final < back) return false;
    const then = await blockFrom(rpc, final - back);
    if (then === undefined || then.seconds <= deadline) return false;
    if (end.height - then.height > VALID_BLOCKS + LAG_BLOCKS) return true;
  }
  return false;
}

interface Counted {
  readonly height: number;
  readonly seconds: number;
}

/** The first block at or after a slot; undefined where the node has none nearby. */
async function blockFrom(rpc: HttpClient, slot: number): Promise<Counted | undefined> {
  const options = { transactionDetails: 'none', rewards: false, encoding: 'json', maxSupportedTransactionVersion: 0 };
  const slots = await rpc.request<readonly number[]>('getBlocks', [slot, slot + 50, { commitment: 'confirmed' }]);
  const [first] = slots;
  if (first === undefined) return undefined;
  const [block, seconds] = await Promise.all([
    rpc.request<{ readonly blockHeight: number | null } | null>('getBlock', [
      first,
      { ...options, commitment: 'confirmed' },
    ]),
    rpc.request<number | null>('getBlockTime', [first]),
  ]);
  if (block === null || block.blockHeight === null || seconds === null) return undefined;
  return { height: block.blockHeight, seconds };
}

/** See `ChainAdapter.paidBy`. */
export function paidBy(deps: SentDeps, leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined> {
  return askHistory(deps.providers, async (provider) => {
    const { final } = await freshView(provider, deps.floor());
    const found = await find(deps, provider, memoOf(leg), since);
    if (found === undefined) return undefined;
    const source = leg.kind === 'fill' ? deps.solver.fill : deps.solver.vault;
    const paid = payments(found, source).find(({ currency }) => currency === leg.currency);
    if (paid === undefined) return undefined;
    const block = await blockAt(provider, found.slot);
    const { currency, recipient, sent: moved } = paid;
    return {
      hash: found.signature,
      block,
      final: found.slot <= final,
      sender: found.payer,
      currency,
      recipient,
      moved,
    };
  });
}

/** A transaction that the solver paid for, and that says this in a memo. Anybody can say it: only ours count. */
async function find(
  { solver }: SentDeps,
  provider: Provider,
  memo: string,
  since: UnixMs,
): Promise<ReadTransaction | undefined> {
  const oldest = since - SKEW_MS;
  const isBefore = ({ timestamp }: HistoryEntry): boolean => timestamp !== null && timestamp < oldest;
  const entries = await historyAbove(provider.rpc, solver.fill, -1, isBefore);
  for (const entry of entries) {
    if (!entry.ok || !memosIn(entry).some((text) => text.toLowerCase() === memo)) continue;
    const transaction = await shown(provider, entry.signature);
    if (transaction.payer === solver.fill) return transaction;
  }
  await keptSince(provider.rpc, oldest);
  return undefined;
}

/** Clocks of the chain and of this machine differ by less. */
const SKEW_MS = 120_000;
