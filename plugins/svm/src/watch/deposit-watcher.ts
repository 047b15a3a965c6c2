import type { Alerts, Clock, DepositBatch, DepositObservation, Logger } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError, TransportError } from '@causeway/core/rpc';
import { type HistoryEntry, historyAbove } from '../history.js';
import { keptAbove } from '../history-kept.js';
import { fetchTransaction } from '../transactions/fetch.js';
import { readTransaction } from '../transactions/read.js';
import { PrunedError } from '../unbroken-history.js';
import { type Cursor, readCursor, writeCursor } from './cursor.js';
import { blockAt, type Head, type Heads, headRef } from './heads.js';
import { readDeposits, type Vault } from './read-deposits.js';

export interface WatcherDeps {
  readonly vault: Vault;
  /** The vault itself and its token accounts. */
  readonly accounts: readonly string[];
  readonly providers: Providers;
  readonly feed: Heads;
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
}

/** A transaction that was told of and is not settled yet. */
interface Known {
  readonly slot: number;
  readonly deposits: readonly DepositObservation[];
  /** It was told of as final: nothing takes that back. */
  readonly final: boolean;
}

/** Final slots are listed for this long: a node may index what it has a little later. */
const OVERLAP_SLOTS = 32;
/** Transactions of one batch, unless those of one slot, or of slots read before, are more. */
const MOST_AT_ONCE = 500;
const RETRY_MS = [20, 50, 100, 250, 500, 1000] as const;

/**
 * Follows deposits from a cursor; see `ChainAdapter.watchDeposits`.
 *
 * Invariant: every poll lists all that touched the vault since the newest settled slot, so whatever was told of since
 * then is in the list, or is gone. A slot is settled once it was listed some time after it became final.
 */
export async function* followDeposits(
  deps: WatcherDeps,
  text: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<DepositBatch> {
  const cursor = text === undefined ? undefined : readCursor(text);
  const run: Run = { cursor, known: new Map(), fresh: true, changes: 0, proven: -1 };
  let seen: Head | undefined;
  const unlisten = deps.providers.onChange(() => {
    run.changes += 1;
    // What is known to be final now is too old to prove by what whoever answers from here on has.
    seen = deps.feed.current;
  });
  signal.addEventListener('abort', unlisten);
  let failures = 0;
  const alert = `history-${deps.vault.chainId}`;
  while (!signal.aborted) {
    const head = deps.feed.current;
    if (head === undefined || head === seen) {
      await deps.feed.changed(seen, signal);
      continue;
    }
    try {
      const { batch, complete } = await advance(deps, run, head);
      failures = 0;
      deps.alerts.clear(alert);
      if (complete) seen = head;
      if (batch !== undefined) yield batch;
    } catch (error) {
      if (isTransportError(error)) deps.providers.failed(head.provider, error);
      else if (!(error instanceof RpcError) && !(error instanceof PrunedError)) throw error;
      if (error instanceof PrunedError) {
        deps.alerts.raise(
          alert,
          `Deposits of chain ${deps.vault.chainId} are not read: ${error.message}; add a provider that has them`,
        );
      }
      const pause = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 1000;
      failures += 1;
      if (failures > 3) deps.log.warn({ error: String(error), slot: head.height }, 'deposits cannot be read yet');
      await deps.clock.sleep(pause, signal);
    }
  }
}

interface Run {
  cursor: Cursor | undefined;
  /** By signature. */
  readonly known: Map<string, Known>;
  /** Nothing was told of since the start: what the ledger has above the cursor is not known here. */
  fresh: boolean;
  /** Times that other providers came into use: each may lack what was not read yet, as one that was down for a while. */
  changes: number;
  /** `changes` when it was proven last that nothing above the cursor is missing. */
  proven: number;
}

interface Advance {
  readonly batch: DepositBatch | undefined;
  /** Everything up to the head was read. */
  readonly complete: boolean;
}

async function advance(deps: WatcherDeps, run: Run, head: Head): Promise<Advance> {
  const base = { head: headRef(head), finalized: head.finalized };
  const { cursor, changes } = run;
  if (cursor === undefined) {
    run.cursor = { settled: head.height, seen: head.height };
    run.fresh = false;
    return { batch: { ...base, cursor: writeCursor(run.cursor), deposits: [] }, complete: true };
  }
  // A provider that lags behind what was read proves nothing.
  if (head.height < cursor.seen) return { batch: undefined, complete: true };
  // What a provider lacks since nobody watched, or since it was away, is not gone: it must be read from one who has it. It
  // must have had it before it listed, since it may have been given it meanwhile, and after, since it may have thrown it away.
  const prove = async (): Promise<void> => {
    if (run.proven !== changes) await keptAbove(head.provider.rpc, cursor.settled, head.finalized.height);
  };
  await prove();
  const listed = await list(deps, head, cursor.settled);
  const { entries, to } = portion(listed, run, head.height);
  await prove();
  run.proven = changes;
  const read = await tell(deps, head, entries);
  const { settles, gone } = run.fresh ? { settles: [], gone: [] } : await vanished(deps, run, listed, head);
  // From here on nothing fails: what was not told of is read again.
  for (const [signature, known] of [...settles, ...read]) run.known.set(signature, known);
  for (const [signature] of gone) run.known.delete(signature);
  const settled = Math.max(cursor.settled, Math.min(head.finalized.height - OVERLAP_SLOTS, to));
  const next = { settled, seen: Math.max(cursor.seen, to) };
  for (const [signature, { slot }] of run.known) if (slot <= settled) run.known.delete(signature);
  const rewound = run.fresh ? { rewoundTo: cursor.settled } : {};
  run.cursor = next;
  run.fresh = false;
  const batch = {
    ...base,
    ...rewound,
    cursor: writeCursor(next),
    deposits: [...lost(gone), ...read.flatMap(([, { deposits }]) => deposits)],
  };
  return { batch, complete: to === head.height };
}

/** Oldest first, each transaction once, none above the head: what is newer comes with its own head. */
async function list(
  { accounts }: WatcherDeps,
  { provider, height }: Head,
  settled: number,
): Promise<readonly HistoryEntry[]> {
  const lists = await Promise.all(accounts.map((account) => historyAbove(provider.rpc, account, settled)));
  const bySignature = new Map(lists.flat().map((entry) => [entry.signature, entry]));
  return [...bySignature.values()]
    .filter(({ slot, ok }) => ok && slot <= height)
    .sort((a, b) => a.slot - b.slot || (a.signature < b.signature ? -1 : 1));
}

/**
 * What is told of now, and the slot up to which that is all. After a start, everything that the ledger may have is told of
 * together: what is not repeated is taken to be gone.
 */
function portion(listed: readonly HistoryEntry[], { known, cursor, fresh }: Run, head: number) {
  // One that is listed in another slot than before was included anew.
  const news = listed.filter(({ signature, slot }) => known.get(signature)?.slot !== slot);
  const last = news[MOST_AT_ONCE - 1];
  if (last === undefined || news.length === MOST_AT_ONCE) return { entries: news, to: head };
  const to = Math.max(last.slot, fresh ? (cursor?.seen ?? 0) : 0);
  return { entries: news.filter(({ slot }) => slot <= to), to };
}

/** What is known of a transaction, by its signature. */
type Told = readonly [string, Known];

async function tell(
  { vault }: WatcherDeps,
  { provider, finalized }: Head,
  entries: readonly HistoryEntry[],
): Promise<readonly Told[]> {
  return Promise.all(
    entries.map(async ({ signature, slot }): Promise<Told> => {
      const [raw, block] = await Promise.all([fetchTransaction(provider.rpc, signature), blockAt(provider, slot)]);
      if (raw === undefined) throw new TransportError(`${signature} is listed and not shown`, 'malformed');
      // Between the two answers it may have moved to another slot: the list will say so.
      if (raw.slot !== slot) throw new RpcError(`${signature} moved to slot ${raw.slot}`, 0, undefined);
      const final = slot <= finalized.height;
      const deposits = readDeposits(vault, readTransaction(raw), final ? 'final' : 'included', block);
      return [signature, { slot, final, deposits }];
    }),
  );
}

/**
 * Transactions whose slot is final by now: those that are in it, and those that are gone. That one is nowhere must be said
 * by all providers.
 */
async function vanished(
  { providers }: WatcherDeps,
  { known }: Run,
  listed: readonly HistoryEntry[],
  { finalized }: Head,
): Promise<{ readonly settles: readonly Told[]; readonly gone: readonly Told[] }> {
  const there = new Set(listed.map(({ signature }) => signature));
  const settles: Told[] = [];
  const gone: Told[] = [];
  for (const [signature, one] of known) {
    if (one.slot > finalized.height || one.final) continue;
    if (there.has(signature)) settles.push([signature, { ...one, final: true }]);
    else if (await isNowhere(providers.usable(), signature)) gone.push([signature, one]);
  }
  return { settles, gone };
}

function lost(gone: readonly Told[]): readonly DepositObservation[] {
  return gone.flatMap(([, { deposits }]) =>
    deposits.map((one) => ({ ...one, state: 'vanished' as const, block: null })),
  );
}

async function isNowhere(providers: readonly Provider[], signature: string): Promise<boolean> {
  const params = [[signature], { searchTransactionHistory: true }];
  const answers = await Promise.all(
    providers.map(({ rpc }) => rpc.request<{ readonly value: readonly unknown[] }>('getSignatureStatuses', params)),
  );
  return answers.length > 0 && answers.every(({ value }) => value[0] === null);
}
