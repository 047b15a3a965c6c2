import type { KeySpender, LegInstruction, LegPaid, OrderId, SentSince, UnixMs, UnixSeconds } from '@causeway/core';
import { type HttpClient, type Provider, type Providers, TransportError } from '@causeway/core/rpc';
import { filledOrders, memoOf, payments } from './effects.js';
import { type HistoryEntry, historyAbove, memosIn } from './history.js';
import { mayStillLand, readPosition, VALID_BLOCKS, writePosition } from './position.js';
import type { Solver } from './transactions/build.js';
import { fetchTransaction } from './transactions/fetch.js';
import { type ReadTransaction, readTransaction } from './transactions/read.js';
import { blockAt } from './watch/heads.js';

export interface SentDeps {
  readonly solver: Solver;
  readonly providers: Providers;
  /** Slot below which nobody is believed that something is not there. */
  floor(): number;
}

/** Where the chain stands: by it a lane knows later what was sent since. */
export async function lanePosition({ providers, floor }: SentDeps): Promise<string> {
  return providers.run(async ({ rpc, name }) => {
    const view = await viewOf(rpc);
    if (view.slot < floor()) throw new TransportError(`${name} lags behind at ${view.slot}: nobody is up to date`, 'none');
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

/** See `ChainAdapter.sentSince`. */
export function sentSince(deps: SentDeps, ledger: string, start: string): Promise<SentSince> {
  return deps.providers.run(async (provider) => {
    const view = await viewOf(provider.rpc);
    if (view.slot < deps.floor()) throw new TransportError(`${provider.name} lags behind at ${view.slot}`, 'none');
    const entries = await historyAbove(provider.rpc, deps.solver.fill, readPosition(ledger).final, 'confirmed');
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
  { solver }: SentDeps,
  provider: Provider,
  { signature, slot }: HistoryEntry,
  final: number,
): Promise<KeySpender | undefined> {
  const transaction = await shown(provider, signature);
  if (transaction.payer !== solver.fill) return undefined;
  return { hash: signature, final: slot <= final, filled: filledOrders(solver, transaction) };
}

async function shown({ rpc }: Provider, signature: string): Promise<ReadTransaction> {
  const raw = await fetchTransaction(rpc, signature);
  if (raw === undefined) throw new TransportError(`${signature} is listed and not shown`, 'malformed');
  return readTransaction(raw);
}

/**
 * Proof that an order was not filled and never can be: false at a final block so long past the deadline that what was
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
  return deps.providers.run(async (provider) => {
    const { final, finalHeight } = await viewOf(provider.rpc);
    // Fewer blocks than slots: this many slots back are at least as many blocks.
    const then = await blockAt(provider, Math.max(0, final - VALID_BLOCKS)).catch(() => undefined);
    if (then === undefined || finalHeight <= VALID_BLOCKS || then.timestamp / 1_000 <= deadline) return false;
    return (await find(deps, provider, orderId, since)) === undefined;
  });
}

/** See `ChainAdapter.paidBy`. */
export function paidBy(deps: SentDeps, leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined> {
  return deps.providers.run(async (provider) => {
    const { final } = await viewOf(provider.rpc);
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
  const entries = await historySince(provider.rpc, solver.fill, since);
  for (const entry of entries) {
    if (!entry.ok || !memosIn(entry).some((text) => text.toLowerCase() === memo)) continue;
    const transaction = await shown(provider, entry.signature);
    if (transaction.payer === solver.fill) return transaction;
  }
  return undefined;
}

/** Clocks of the chain and of this machine differ by less. */
const SKEW_MS = 120_000;

async function historySince(rpc: HttpClient, account: string, since: UnixMs): Promise<readonly HistoryEntry[]> {
  return historyAbove(rpc, account, -1, 'confirmed', (entry) => (entry.timestamp ?? since) < since - SKEW_MS);
}
