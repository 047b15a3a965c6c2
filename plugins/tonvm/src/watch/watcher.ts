import type { BlockRef, DepositBatch, DepositObservation } from '@causeway/core';
import { isTransportError, type ProviderPool, RpcError, TransportError } from '@causeway/core/rpc';
import type { Blocks } from '../chain/blocks.js';
import { history, readAccount, type TonProvider } from '../chain/read.js';
import type { TonTransaction, TransactionId } from '../chain/transaction.js';
import { arrivalOf, type Depository, observationOf, watchedAccounts } from '../deposits.js';
import type { Feed } from '../feed.js';
import type { Toncenter } from '../http/toncenter.js';

export interface WatchDeps {
  readonly providers: ProviderPool<Toncenter>;
  readonly feed: Feed;
  readonly blocks: Blocks;
  readonly depository: Depository;
  onTrouble(error: unknown): void;
}

/** Most transactions of one account that are held at once. */
const MOST_HELD = 1_000;

/** Where the watcher stands: the newest transaction of each account that was read, and the head that was told. */
interface Cursor {
  readonly height: number;
  /** By raw address. */
  readonly at: Readonly<Record<string, readonly [lt: string, hash: string]>>;
}

/** What one look came to. `again`: there is more to read. */
interface Read {
  readonly cursor: Cursor;
  readonly batch: DepositBatch;
  readonly again: boolean;
}

/**
 * Follows the depository and its jetton wallets, each from its own last transaction that was read, oldest first. A transaction names the
 * one before it by its hash, so that between the newest one and the cursor nothing can be left out by whoever answers.
 */
export async function* watchDeposits(
  deps: WatchDeps,
  from: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<DepositBatch> {
  let cursor = from === undefined ? undefined : (JSON.parse(from) as Cursor);
  let told = '';
  let readAt: string | undefined;
  // A feed that has ended tells of no head any more, and its waits end at once.
  while (!signal.aborted && !deps.feed.ended) {
    // Between two heads nothing can have come: nobody is asked.
    const seen = deps.feed.current?.head.id;
    if (seen === undefined || seen === readAt) {
      await deps.feed.next(signal);
      continue;
    }
    let read: Read | undefined;
    try {
      const before = cursor;
      read = await deps.providers.run((provider) => advance(deps, provider, before));
    } catch (error) {
      // Provider trouble is a pause, and never a fact about the chain.
      if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
      deps.onTrouble(error);
    }
    if (signal.aborted) return;
    const sight = read && `${read.batch.cursor} ${read.batch.head.id}`;
    if (read !== undefined && sight !== undefined && sight !== told) {
      yield read.batch;
      told = sight;
      cursor = read.cursor;
    }
    if (read === undefined) await deps.feed.next(signal);
    else if (!read.again) readAt = seen;
  }
}

async function advance(deps: WatchDeps, provider: TonProvider, before: Cursor | undefined): Promise<Read> {
  const { depository, feed } = deps;
  const floor = Math.max(before?.height ?? 0, 0);
  const at: Record<string, readonly [string, string]> = { ...before?.at };
  const fresh: TonTransaction[] = [];
  let again = false;
  for (const account of watchedAccounts(depository).keys()) {
    const { last } = await readAccount(provider, account, floor);
    const known = before?.at[account];
    if (known === undefined) {
      // From now on: what was paid before is nobody's concern.
      at[account] = [last.lt.toString(), last.hash];
      continue;
    }
    const { transactions, more } = await since(provider, account, { lt: BigInt(known[0]), hash: known[1] }, last);
    const newest = transactions.at(-1);
    if (newest !== undefined) at[account] = [newest.lt.toString(), newest.hash];
    fresh.push(...transactions);
    again ||= more;
  }
  // After the accounts: whatever they showed is at or below it.
  const head = await feed.head(provider);
  if (head.height < floor)
    throw new TransportError(`${provider.name} lags behind at ${head.height} of ${floor}`, 'malformed');
  const deposits = await observed(deps, provider, fresh, head);
  // Of what is held back nothing is known, and one account may be read further than another.
  const height = again ? floor : head.height;
  const cursor: Cursor = { height, at };
  const batch: DepositBatch = {
    ...{ cursor: JSON.stringify(cursor), head, finalized: head, deposits },
    ...(again ? { readTo: height } : {}),
  };
  return { cursor, batch, again };
}

/** What an account did after one of its transactions, oldest first; of very much the oldest part. */
async function since(
  provider: TonProvider,
  account: string,
  known: TransactionId,
  last: TransactionId,
): Promise<{ readonly transactions: readonly TonTransaction[]; readonly more: boolean }> {
  if (last.lt < known.lt) throw new TransportError(`${provider.name} lags behind in ${account}`, 'malformed');
  const held: TonTransaction[] = [];
  let more = false;
  if (last.lt > known.lt) {
    for await (const transaction of history(provider, account, last)) {
      if (transaction.lt <= known.lt) {
        if (transaction.hash !== known.hash) throw new Error(`${account} has another past than it had`);
        break;
      }
      held.push(transaction);
      if (held.length > MOST_HELD) {
        held.shift();
        more = true;
      }
      if (transaction.previous.lt === known.lt) {
        if (transaction.previous.hash !== known.hash) throw new Error(`${account} has another past than it had`);
        break;
      }
    }
  }
  return { transactions: held.reverse(), more };
}

async function observed(
  { depository, blocks }: WatchDeps,
  provider: TonProvider,
  transactions: readonly TonTransaction[],
  head: BlockRef,
): Promise<readonly DepositObservation[]> {
  const deposits: DepositObservation[] = [];
  for (const transaction of transactions) {
    if (arrivalOf(depository, transaction) === undefined) continue;
    const block = await blocks.ofLt(provider, transaction.lt);
    if (block.height > head.height) throw new TransportError(`${provider.name}: a block above its head`, 'malformed');
    const seen = observationOf(depository, transaction, block);
    if (seen !== undefined) deposits.push(seen);
  }
  return deposits;
}
