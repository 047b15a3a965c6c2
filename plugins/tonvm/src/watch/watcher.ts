import type { DepositBatch, DepositObservation, UnreadTransaction as UnreadReport } from '@causeway/core';
import { isTransportError, type ProviderPool, RpcError, TransportError } from '@causeway/core/rpc';
import type { Blocks } from '../chain/blocks.js';
import { past, type TonProvider } from '../chain/read.js';
import type { TonTransaction, TransactionId, UnreadTransaction } from '../chain/transaction.js';
import type { Depository } from '../depository.js';
import { arrivalOf, observationOf, watchedAccounts } from '../deposits.js';
import type { Toncenter } from '../http/toncenter.js';
import { isOwnChange } from '../own-change.js';
import type { AddressWatch, Frontier } from './addresses/address-watch.js';
import { blockOf, type Head, type Heads } from './heads.js';
import { unreadReport } from './unread-report.js';

export interface WatchDeps {
  readonly providers: ProviderPool<Toncenter>;
  readonly feed: Heads;
  readonly blocks: Blocks;
  readonly depository: Depository;
  /** For later lookups of the deposit. */
  onSeen(transaction: TonTransaction): void;
  onError(error: unknown): void;
  /** A transaction that cannot be read, for the log. */
  onUnread(transaction: UnreadTransaction): void;
  pause(signal: AbortSignal): Promise<void>;
  /** Undefined or absent: no deposit addresses are watched. */
  addresses?(from: Frontier | undefined): AddressWatch | undefined;
}

const MAX_HELD = 1_000;
const ORIGIN_UNKNOWN = 'no provider shows where its coins came from: change of an own payment, or a deposit';

/** The newest read transaction of each account, and the reported head. */
interface Cursor {
  readonly height: number;
  /** By raw address. */
  readonly at: Readonly<Record<string, readonly [lt: string, hash: string]>>;
  /** Of the deposit addresses; absent: none are watched. */
  readonly listed?: Frontier;
}

/** `again`: there is more to read. */
interface Read {
  readonly cursor: Cursor;
  readonly batch: DepositBatch;
  readonly again: boolean;
}

/**
 * Reads transactions after the cursor, oldest first. A transaction names the previous one by hash, so a provider cannot
 * omit one after the cursor.
 */
export async function* watchDeposits(
  deps: WatchDeps,
  from: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<DepositBatch> {
  let cursor = from === undefined ? undefined : (JSON.parse(from) as Cursor);
  const addresses = deps.addresses?.(cursor?.listed);
  let seen: Head | undefined;
  let reported: Head | undefined;
  let again = false;
  /** A provider failure delays the watcher; it says nothing about the chain. */
  const attempt = async (task: () => Promise<void>): Promise<void> => {
    try {
      await task();
    } catch (error) {
      if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
      deps.onError(error);
      await deps.pause(signal);
    }
  };
  while (!signal.aborted) {
    // Nothing can arrive between two heads.
    if (!again) await deps.feed.changed(seen, signal);
    const head = deps.feed.current;
    if (signal.aborted) return;
    seen = head;
    again = false;
    if (head === undefined || isBehind(head, cursor)) continue;
    let read: Read | undefined;
    const before = cursor;
    const isNew = head !== reported;
    await attempt(async () => {
      read = await deps.providers.runSurely('deposits', (provider) => advance(deps, provider, before, head));
    });
    if (signal.aborted) return;
    again = read?.again ?? true;
    if (read === undefined) continue;
    // Yielded at once: transfers to deposit addresses follow in a later batch.
    if (isNew || read.again || read.batch.deposits.length > 0 || read.batch.unread) yield read.batch;
    cursor = read.cursor;
    reported = head;
    if (addresses === undefined) continue;
    await addresses.learn(head.height);
    let more = true;
    await attempt(async () => {
      more = await deps.providers.runSurely('deposit addresses', (provider) => addresses.turn(provider, head.height));
    });
    if (signal.aborted) return;
    again ||= more;
    const { deposits, unread } = addresses.take(head.height);
    const listed = addresses.frontier;
    cursor = { ...cursor, ...(listed && { listed }) };
    if (deposits.length === 0 && unread.length === 0) continue;
    const { unread: _, ...batch } = read.batch;
    yield { ...batch, cursor: JSON.stringify(cursor), deposits, ...(unread.length > 0 && { unread }) };
  }
}

function isBehind({ height, accounts }: Head, cursor: Cursor | undefined): boolean {
  if (cursor === undefined) return false;
  const read = Object.entries(cursor.at).map(([account, [lt]]) => [accounts.get(account), BigInt(lt)] as const);
  return height < cursor.height || read.some(([account, lt]) => account !== undefined && account.last.lt < lt);
}

async function advance(deps: WatchDeps, provider: TonProvider, before: Cursor | undefined, head: Head): Promise<Read> {
  const at: Record<string, readonly [string, string]> = { ...before?.at };
  const deposits: DepositObservation[] = [];
  const unread: UnreadReport[] = [];
  let again = false;
  for (const account of watchedAccounts(deps.depository).keys()) {
    const last = head.accounts.get(account)?.last;
    // A wallet that became known after this head was read: the next head includes it.
    if (last === undefined) continue;
    const known = before?.at[account];
    if (known === undefined) {
      // A new account starts at its current state; earlier payments are ignored.
      at[account] = [last.lt.toString(), last.hash];
      continue;
    }
    const { transactions, more } = await since(provider, account, { lt: BigInt(known[0]), hash: known[1] }, last);
    again ||= more;
    for (const transaction of transactions) {
      const seen = 'unread' in transaction ? transaction : await observed(deps, provider, transaction, head.height);
      if (seen !== undefined && 'unread' in seen) {
        const reported = await unreadReport(deps.blocks, provider, seen);
        if (reported.block.height > head.height) break;
        deps.onUnread(seen);
        // guard: ton-unread-reported
        unread.push(reported);
        at[account] = [transaction.lt.toString(), transaction.hash];
        continue;
      }
      // Read after the head: the next head covers it.
      if (seen?.block && seen.block.height > head.height) break;
      at[account] = [transaction.lt.toString(), transaction.hash];
      if (seen !== undefined) deposits.push(seen);
    }
  }
  // While transactions are left to read, accounts are read up to different points: only the previous height is covered.
  const height = again ? (before?.height ?? 0) : head.height;
  const cursor: Cursor = { height, at, ...(before?.listed && { listed: before.listed }) };
  const block = blockOf(head);
  const batch: DepositBatch = {
    ...{ cursor: JSON.stringify(cursor), head: block, finalized: block, deposits },
    ...(again ? { readTo: height } : {}),
    ...(unread.length > 0 && { unread }),
  };
  return { cursor, batch, again };
}

/** Transactions after a given one, oldest first; if too many, the oldest part. */
async function since(
  provider: TonProvider,
  account: string,
  known: TransactionId,
  last: TransactionId,
): Promise<{ readonly transactions: readonly (TonTransaction | UnreadTransaction)[]; readonly more: boolean }> {
  const held: (TonTransaction | UnreadTransaction)[] = [];
  let more = false;
  if (last.lt > known.lt) {
    for await (const transaction of past(provider, account, last)) {
      if (transaction.lt <= known.lt) {
        if (transaction.hash !== known.hash) throw anotherPast(provider, account);
        break;
      }
      held.push(transaction);
      if (held.length > MAX_HELD) {
        held.shift();
        more = true;
      }
      if (transaction.previous.lt === known.lt) {
        if (transaction.previous.hash !== known.hash) throw anotherPast(provider, account);
        break;
      }
    }
  }
  return { transactions: held.reverse(), more };
}

/** A covered transaction is never replaced: this provider's answer is wrong, so another may be asked. */
function anotherPast({ name }: TonProvider, account: string): TransportError {
  return new TransportError(`${name}: ${account} shows another history than before`, 'malformed');
}

/** Unread where it looks like the service's change and no provider shows where it came from. */
async function observed(
  deps: WatchDeps,
  provider: TonProvider,
  transaction: TonTransaction,
  height: number,
): Promise<DepositObservation | UnreadTransaction | undefined> {
  const { depository, blocks, onSeen } = deps;
  const arrival = arrivalOf(depository, transaction);
  if (arrival === undefined) return undefined;
  const isChange = arrival.isOdd && (await isChangeByAny(deps, provider, transaction, height));
  if (isChange === undefined) return { ...transaction, unread: ORIGIN_UNKNOWN, cause: 'inside' };
  if (/* guard: ton-odd-messages */ isChange) return undefined;
  onSeen(transaction);
  return observationOf(depository, transaction, await blocks.ofLt(provider, transaction.lt));
}

/** Undefined where neither this provider nor any other shows it. @throws TransportError */
async function isChangeByAny(
  { providers, depository }: WatchDeps,
  provider: TonProvider,
  transaction: TonTransaction,
  height: number,
): Promise<boolean | undefined> {
  const isChange = await isOwnChange(provider, depository, transaction, height);
  if (isChange !== undefined) return isChange;
  for (const other of providers.usable()) {
    if (other.index === provider.index) continue;
    const said = await isOwnChange(other, depository, transaction, height).catch((error: unknown) => {
      if (isTransportError(error) || error instanceof RpcError) return undefined;
      throw error;
    });
    if (said !== undefined) return said;
  }
  return undefined;
}
